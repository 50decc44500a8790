-- The ledger: every decision with its reason, chained by hash within an account. Rows hold ids and hashes,
-- never message text, so that erasing a person needs no change here.

CREATE TABLE ledger_heads (
  account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  seq        bigint NOT NULL DEFAULT 0,
  hash       bytea NOT NULL DEFAULT '\x',
  -- Made with the vault's key (decision 0020). NULL until the daemon has signed the head for the first time.
  mac        bytea
) WITH (fillfactor = 50);

CREATE TABLE ledger (
  account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  seq          bigint NOT NULL,
  at           timestamptz NOT NULL,
  actor        text NOT NULL,
  action       text NOT NULL,
  subject_kind text NOT NULL,
  subject_id   text NOT NULL,
  outcome      text NOT NULL,
  reason       text NOT NULL,
  detail       jsonb NOT NULL DEFAULT '{}',
  hash         bytea NOT NULL,
  PRIMARY KEY (account_id, seq),
  -- For the foreign key of `permits`: a permit needs a decision that allowed it.
  CONSTRAINT ledger_by_outcome UNIQUE (account_id, seq, outcome)
);
CREATE INDEX ledger_by_subject ON ledger (account_id, subject_kind, subject_id, seq);

CREATE FUNCTION ledger_digest(
  previous bytea, seq bigint, at timestamptz, actor text, action text,
  subject_kind text, subject_id text, outcome text, reason text, detail jsonb
) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT sha256(previous || convert_to(jsonb_build_array(
    seq, extract(epoch FROM at), actor, action, subject_kind, subject_id, outcome, reason, detail)::text, 'UTF8'))
$$;

-- Salts a hash of text: the same result for the same text to the same chat or contact. Once the salt is deleted
-- with the chat, contact or account, nobody can find the text by trial.
CREATE FUNCTION ledger_commitment(for_account bigint, subject_kind text, subject_id text, hash text)
RETURNS text LANGUAGE sql STABLE AS $$
  SELECT encode(sha256(coalesce(CASE subject_kind
      WHEN 'chat' THEN (SELECT c.salt FROM chats c WHERE c.account_id = for_account AND c.id = subject_id::uuid)
      WHEN 'contact' THEN (SELECT p.salt FROM contacts p WHERE p.account_id = for_account AND p.id = subject_id::uuid)
    END, (SELECT a.salt FROM accounts a WHERE a.id = for_account)) || decode(hash, 'hex')), 'hex')
$$;

-- Appends a row and returns what the next MAC is made from. The head row is locked until commit: numbers are
-- dense, in commit order, and the chain never forks. Call it late in a transaction. plpgsql, so that its plan is kept.
CREATE FUNCTION ledger_add(
  for_account bigint, actor text, action text, subject_kind text, subject_id text,
  outcome text, reason text, detail jsonb,
  OUT seq bigint, OUT hash bytea, OUT hash_before bytea, OUT mac_before bytea
) LANGUAGE plpgsql AS $$
DECLARE
  at_time timestamptz := now();
BEGIN
  IF detail ? 'hash' THEN
    detail := detail || jsonb_build_object('hash',
      ledger_commitment(for_account, subject_kind, subject_id, detail->>'hash'));
  END IF;
  SELECT h.seq + 1, h.hash, h.mac INTO STRICT seq, hash_before, mac_before
    FROM ledger_heads h WHERE h.account_id = for_account FOR NO KEY UPDATE;
  hash := ledger_digest(hash_before, seq, at_time, actor, action, subject_kind, subject_id, outcome, reason, detail);
  UPDATE ledger_heads h SET seq = ledger_add.seq, hash = ledger_add.hash WHERE h.account_id = for_account;
  INSERT INTO ledger VALUES
    (for_account, seq, at_time, actor, action, subject_kind, subject_id, outcome, reason, detail, hash);
END $$;

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER ledger_append_only BEFORE UPDATE ON ledger
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- The head is written as the new account: nobody else may (migration 0017).
CREATE FUNCTION new_account() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  caller text := coalesce(current_setting('relay.account', true), '');
BEGIN
  PERFORM set_config('relay.account', NEW.id::text, true);
  INSERT INTO ledger_heads (account_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
  PERFORM set_config('relay.account', caller, true);
  RETURN NEW;
END $$;

CREATE TRIGGER account_has_ledger AFTER INSERT ON accounts
  FOR EACH ROW EXECUTE FUNCTION new_account();
