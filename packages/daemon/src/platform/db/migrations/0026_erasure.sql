-- What is deleted, and what must remain so that it stays deleted.

-- A secret of each chat, each person and the account, gone with them. The ledger's hashes are made with it:
-- once it is gone, nobody can try out words until one of them fits.
ALTER TABLE accounts ADD COLUMN salt bytea NOT NULL DEFAULT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
ALTER TABLE contacts ADD COLUMN salt bytea NOT NULL DEFAULT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
ALTER TABLE chats ADD COLUMN salt bytea NOT NULL DEFAULT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());

-- What the ledger says of a hash of words: the same for the same words to the same chat or of the same person.
CREATE FUNCTION ledger_commitment(for_account bigint, subject_kind text, subject_id text, hash text)
RETURNS text LANGUAGE sql STABLE AS $$
  SELECT encode(sha256(coalesce(CASE subject_kind
      WHEN 'chat' THEN (SELECT c.salt FROM chats c WHERE c.account_id = for_account AND c.id = subject_id::uuid)
      WHEN 'contact' THEN (SELECT p.salt FROM contacts p WHERE p.account_id = for_account AND p.id = subject_id::uuid)
    END, (SELECT a.salt FROM accounts a WHERE a.id = for_account)) || decode(hash, 'hex')), 'hex')
$$;

CREATE OR REPLACE FUNCTION ledger_append(
  for_account bigint, actor text, action text, subject_kind text, subject_id text,
  outcome text, reason text, detail jsonb
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  head ledger_heads%ROWTYPE;
  at_time timestamptz := now();
BEGIN
  IF detail ? 'hash' THEN
    detail := detail || jsonb_build_object('hash',
      ledger_commitment(for_account, subject_kind, subject_id, detail->>'hash'));
  END IF;
  UPDATE ledger_heads h SET
    seq = h.seq + 1,
    hash = ledger_digest(h.hash, h.seq + 1, at_time, actor, action, subject_kind, subject_id, outcome, reason, detail)
  WHERE h.account_id = for_account
  RETURNING * INTO STRICT head;
  INSERT INTO ledger VALUES
    (for_account, head.seq, at_time, actor, action, subject_kind, subject_id, outcome, reason, detail, head.hash);
  RETURN head.seq;
END $$;

-- WhatsApp may deliver a message again that was erased. It is known by this and by nothing else.
CREATE TABLE erased_messages (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  mark       bytea NOT NULL,
  at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, mark)
);
CREATE INDEX erased_messages_by_age ON erased_messages USING brin (at);

CREATE FUNCTION erased_mark(for_account bigint, message_id text) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT sha256(a.salt || convert_to(message_id, 'UTF8')) FROM accounts a WHERE a.id = for_account
$$;

CREATE FUNCTION refuse_erased() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM erased_messages e
    WHERE e.account_id = NEW.account_id AND e.mark = erased_mark(NEW.account_id, NEW.message_id)) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER erased_stays_erased BEFORE INSERT ON message_keys
  FOR EACH ROW EXECUTE FUNCTION refuse_erased();

-- A group that is no longer observed: what was written until then is still deleted in time.
CREATE TABLE once_observed (
  account_id bigint NOT NULL,
  chat_id    uuid NOT NULL,
  until      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, chat_id),
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE
);

CREATE FUNCTION remember_observed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO once_observed (account_id, chat_id)
    SELECT c.account_id, c.id FROM chats c WHERE c.account_id = OLD.account_id AND c.id = OLD.chat_id
    ON CONFLICT (account_id, chat_id) DO UPDATE SET until = excluded.until;
  RETURN NULL;
END $$;
CREATE TRIGGER observed_once AFTER DELETE ON observed_groups
  FOR EACH ROW EXECUTE FUNCTION remember_observed();

-- Each time the limits were enforced, and how many of what were deleted.
CREATE TABLE retention_runs (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id         bigint GENERATED ALWAYS AS IDENTITY,
  -- By the clock that the limits are counted by.
  at         timestamptz NOT NULL,
  cause      text NOT NULL CHECK (cause IN ('start', 'night', 'owner')),
  messages   integer NOT NULL,
  digests    integer NOT NULL,
  -- Whether the files were written anew, so that their bytes are gone too.
  scoured    boolean NOT NULL,
  ms         integer NOT NULL,
  PRIMARY KEY (account_id, id)
);
