-- Approvals, permits and the outbox: the only way out. A message leaves from `outbox`, a row of it needs a
-- permit, a permit needs the ledger row that allowed it: the database refuses anything else.

CREATE TABLE approvals (
  account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id           uuid NOT NULL DEFAULT gen_random_uuid(),
  intent       jsonb NOT NULL,
  intent_hash  bytea NOT NULL,
  reason       text NOT NULL,
  requested_by text NOT NULL,
  state        text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved', 'rejected', 'expired')),
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  decided_at   timestamptz,
  used_at      timestamptz,
  -- The conversation that asked, if one did.
  instance_id  uuid,
  -- Why the owner declined, if they said.
  answer       text,
  -- The run of the model that asked, and the schedule it is for.
  run_id       uuid,
  schedule_id  uuid,
  -- The owner may edit the text of a pending approval. That one ends and another takes its place, which names the
  -- first: whoever asked has the first id, and is still told what became of it.
  began_as     uuid,
  -- The notice in the owner's chat that showed all of this approval, as the outbox names it: reactions to it and
  -- `/approve` count. Not a foreign key: the outbox refers to permits, and those to approvals.
  notice_id    uuid,
  PRIMARY KEY (account_id, id),
  -- For the foreign key of `permits`: the permit of an approval is for exactly the content that was approved.
  CONSTRAINT approvals_of_content UNIQUE (account_id, id, intent_hash)
);
CREATE INDEX approvals_waiting ON approvals (account_id, created_at) WHERE state = 'pending';
-- The same request made twice is one approval.
CREATE UNIQUE INDEX approvals_asked_once ON approvals (account_id, intent_hash, requested_by)
  WHERE state = 'pending';
CREATE INDEX approvals_of_instance ON approvals (account_id, instance_id) WHERE state = 'pending';
CREATE INDEX approvals_edited ON approvals (account_id, began_as, created_at) WHERE began_as IS NOT NULL;
CREATE INDEX approvals_of_notice ON approvals (account_id, notice_id) WHERE notice_id IS NOT NULL;

-- The content of an approval never changes. Only the id of the chat may, with the hash that covers it, and only
-- away from a contact without any address: one that was merged into another.
CREATE FUNCTION refuse_other_content() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.intent->>'chat' IS DISTINCT FROM OLD.intent->>'chat'
    AND NEW.intent - 'chat' = OLD.intent - 'chat'
    AND NEW.instance_id IS NOT DISTINCT FROM OLD.instance_id
    AND (NEW.requested_by = OLD.requested_by OR (
      OLD.requested_by = 'auto_reply:' || (OLD.intent->>'chat')
      AND NEW.requested_by = 'auto_reply:' || (NEW.intent->>'chat')))
    AND EXISTS (SELECT FROM chats c WHERE c.account_id = OLD.account_id AND c.id = (OLD.intent->>'chat')::uuid
      AND c.kind = 'direct' AND NOT EXISTS (SELECT FROM contact_aliases a
        WHERE a.account_id = c.account_id AND a.contact_id = c.contact_id))
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'what an approval is about never changes' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER approvals_unaltered BEFORE UPDATE OF intent, intent_hash, requested_by, instance_id ON approvals
  FOR EACH ROW EXECUTE FUNCTION refuse_other_content();

CREATE TABLE permits (
  account_id      bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id              uuid NOT NULL,
  ledger_seq      bigint NOT NULL,
  actor           text NOT NULL,
  intent          text NOT NULL,
  chat_id         uuid NOT NULL,
  instance_id     uuid,
  content_hash    bytea NOT NULL,
  approval_id     uuid,
  created_at      timestamptz NOT NULL DEFAULT now(),
  revoked_at      timestamptz,
  -- The conversation's epoch when it was given: what happened to the conversation since has a later one.
  instance_epoch  integer,
  -- A follow-up: the last line of the transcript it was written after. A later one of the contact stops it.
  follow_up_after bigint,
  run_id          uuid,
  schedule_id     uuid,
  outcome         text NOT NULL DEFAULT 'allow' CHECK (outcome = 'allow'),
  -- Made with the vault's key (decision 0020). NULL until the daemon has signed it.
  mac             bytea,
  PRIMARY KEY (account_id, id),
  CONSTRAINT permits_by_chat UNIQUE (account_id, id, chat_id),
  CONSTRAINT permits_for_what_was_allowed FOREIGN KEY (account_id, ledger_seq, outcome)
    REFERENCES ledger (account_id, seq, outcome),
  -- Updated with its approval when two contacts are merged.
  CONSTRAINT permits_for_what_was_approved FOREIGN KEY (account_id, approval_id, content_hash)
    REFERENCES approvals (account_id, id, intent_hash) ON UPDATE CASCADE
);
CREATE UNIQUE INDEX permits_one_per_approval ON permits (account_id, approval_id) WHERE approval_id IS NOT NULL;

CREATE TABLE outbox (
  account_id      bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id              uuid NOT NULL,
  seq             bigint GENERATED ALWAYS AS IDENTITY,
  permit_id       uuid NOT NULL,
  chat_id         uuid NOT NULL,
  instance_id     uuid,
  -- Chosen before the first attempt and used by every one.
  message_id      text NOT NULL,
  body            text NOT NULL,
  -- WhatsApp's id of the message in this chat that it replies to. What is quoted is read when it is sent.
  quotes          text,
  -- What it is besides text; NULL: only text.
  content         jsonb,
  -- Sealed: what was built for the socket after the upload. Every attempt and every retry request sends the same.
  wire            bytea,
  state           text NOT NULL DEFAULT 'pending'
                  CHECK (state IN ('pending', 'sent', 'delivered', 'read', 'failed', 'unknown')),
  attempts        integer NOT NULL DEFAULT 0,
  -- NULL: not before it has been reconciled.
  not_before      timestamptz DEFAULT now(),
  failure         text,
  idempotency_key text,
  created_at      timestamptz NOT NULL DEFAULT now(),
  sent_at         timestamptz,
  delivered_at    timestamptz,
  read_at         timestamptz,
  -- The last attempt; written before it is made.
  attempted_at    timestamptz,
  -- It may have been sent, and nothing has confirmed or denied it yet.
  in_doubt        boolean NOT NULL DEFAULT false,
  unknown_since   timestamptz,
  -- Too old to be sent again; the owner was notified.
  told_at         timestamptz,
  -- Neither side had written in this chat before.
  first_contact   boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE,
  -- When two chats are merged, their permits and messages move along.
  CONSTRAINT outbox_to_the_chat_permitted FOREIGN KEY (account_id, permit_id, chat_id)
    REFERENCES permits (account_id, id, chat_id) ON UPDATE CASCADE,
  CHECK (state <> 'unknown' OR (in_doubt AND unknown_since IS NOT NULL))
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX outbox_one_per_permit ON outbox (account_id, permit_id);
CREATE UNIQUE INDEX outbox_one_per_message ON outbox (account_id, message_id);
CREATE UNIQUE INDEX outbox_one_per_key ON outbox (account_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
-- Whether a chat was ever written to.
CREATE INDEX outbox_of_chat ON outbox (account_id, chat_id, seq);
CREATE INDEX outbox_open ON outbox (account_id, seq) WHERE state IN ('pending', 'unknown');
-- Whether an earlier message of the same chat still waits.
CREATE INDEX outbox_open_of_chat ON outbox (account_id, chat_id, seq) WHERE state IN ('pending', 'unknown');
CREATE INDEX outbox_unsent_of_conversation ON outbox (account_id, instance_id)
  WHERE instance_id IS NOT NULL AND state IN ('pending', 'unknown');
CREATE INDEX outbox_attempted ON outbox (account_id, attempted_at) WHERE attempted_at IS NOT NULL;
CREATE INDEX outbox_openings ON outbox (account_id, attempted_at) WHERE first_contact;
CREATE INDEX outbox_troubled ON outbox (account_id, state) WHERE state IN ('failed', 'unknown');
-- For traces. Costs next to nothing where nobody traces: rows are written in the order of their time.
CREATE INDEX outbox_by_age ON outbox USING brin (created_at);

-- What WhatsApp refuses for now, one row a cause. Kept afterwards: the next freeze may be longer for it.
CREATE TABLE freezes (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  cause      text NOT NULL CHECK (cause IN ('too_fast', 'time_lock', 'stranger_refused')),
  until      timestamptz NOT NULL,
  strikes    integer NOT NULL DEFAULT 1,
  since      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, cause)
);
