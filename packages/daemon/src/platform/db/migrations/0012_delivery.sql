-- How messages leave: what is known of each one's fate, and what WhatsApp has told the account to leave be.

ALTER TABLE outbox
  -- The last attempt; written before it is made.
  ADD COLUMN attempted_at  timestamptz,
  -- It may have left, and nobody has said yet whether it did.
  ADD COLUMN in_doubt      boolean NOT NULL DEFAULT false,
  ADD COLUMN unknown_since timestamptz,
  -- Too old to be offered again; the owner was told.
  ADD COLUMN told_at       timestamptz,
  -- Neither side had written in this chat before.
  ADD COLUMN first_contact boolean NOT NULL DEFAULT false,
  ADD CHECK (state <> 'unknown' OR (in_doubt AND unknown_since IS NOT NULL));
-- Null: not before it has been reconciled.
ALTER TABLE outbox ALTER COLUMN not_before DROP NOT NULL;

-- Whether an earlier one of the same chat still waits.
CREATE INDEX outbox_open_of_chat ON outbox (account_id, chat_id, seq) WHERE state IN ('pending', 'unknown');
CREATE INDEX outbox_attempted ON outbox (account_id, attempted_at) WHERE attempted_at IS NOT NULL;
CREATE INDEX outbox_openings ON outbox (account_id, attempted_at) WHERE first_contact;
CREATE INDEX outbox_troubled ON outbox (account_id, state) WHERE state IN ('failed', 'unknown');

-- What WhatsApp does not want for now, one row a cause. Kept when over: the next one may be longer for it.
CREATE TABLE freezes (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  cause      text NOT NULL CHECK (cause IN ('too_fast', 'time_lock', 'stranger_refused')),
  until      timestamptz NOT NULL,
  strikes    integer NOT NULL DEFAULT 1,
  since      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, cause)
);
