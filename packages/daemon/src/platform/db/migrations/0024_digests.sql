-- What a digest was made of, so that it is made anew when that has changed; periods that have none yet because
-- it failed; and what goes with a digest when it goes.

-- How many messages it sums up, and the last of them by number.
ALTER TABLE digests ADD COLUMN messages integer NOT NULL DEFAULT 0;
ALTER TABLE digests ADD COLUMN read_up_to bigint NOT NULL DEFAULT 0;
-- Whose cost it is.
ALTER TABLE digests ADD COLUMN run_id uuid;

ALTER TABLE digest_facts DROP CONSTRAINT digest_facts_kind_check;
ALTER TABLE digest_facts ADD CONSTRAINT digest_facts_kind_check
  CHECK (kind IN ('decision', 'event', 'action_item', 'open_question', 'participant', 'mood'));

-- A period whose digest could not be made, and why; gone as soon as there is one.
CREATE TABLE digest_failures (
  account_id   bigint NOT NULL,
  chat_id      uuid NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('hourly', 'daily')),
  period_start timestamptz NOT NULL,
  period_end   timestamptz NOT NULL,
  -- A sentence for the owner.
  reason       text NOT NULL,
  tries        integer NOT NULL DEFAULT 1,
  -- What it would have been made of: with something new it is worth another try.
  messages     integer NOT NULL,
  read_up_to   bigint NOT NULL,
  at           timestamptz NOT NULL,
  PRIMARY KEY (account_id, chat_id, kind, period_start),
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE
);

CREATE FUNCTION forget_digest_documents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM search_documents d USING gone
    WHERE d.account_id = gone.account_id AND d.source_kind = TG_ARGV[0] AND d.source_id = gone.id::text;
  RETURN NULL;
END $$;
CREATE TRIGGER digests_forget_documents AFTER DELETE ON digests
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_digest_documents('digest');
CREATE TRIGGER digest_facts_forget_documents AFTER DELETE ON digest_facts
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_digest_documents('fact');
