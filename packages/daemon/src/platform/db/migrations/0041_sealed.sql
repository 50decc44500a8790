-- What is permitted and what was decided can be proven. A permit stands on a decision that allowed it, and its message
-- goes to the chat it was given for. Permits and the head of the ledger carry a MAC, made with the key of the vault: it
-- is NULL where there was none yet, and the daemon writes it at its first start with this schema (decision 0080).

ALTER TABLE ledger ADD CONSTRAINT ledger_by_outcome UNIQUE (account_id, seq, outcome);

ALTER TABLE permits
  ADD COLUMN outcome text NOT NULL DEFAULT 'allow' CHECK (outcome = 'allow'),
  ADD COLUMN mac bytea,
  ADD CONSTRAINT permits_by_chat UNIQUE (account_id, id, chat_id),
  DROP CONSTRAINT permits_account_id_ledger_seq_fkey,
  ADD CONSTRAINT permits_for_what_was_allowed FOREIGN KEY (account_id, ledger_seq, outcome)
    REFERENCES ledger (account_id, seq, outcome);

-- Two chats that turn out to be one take their permits and messages along.
ALTER TABLE outbox
  DROP CONSTRAINT outbox_account_id_permit_id_fkey,
  ADD CONSTRAINT outbox_to_the_chat_permitted FOREIGN KEY (account_id, permit_id, chat_id)
    REFERENCES permits (account_id, id, chat_id) ON UPDATE CASCADE;

ALTER TABLE ledger_heads ADD COLUMN mac bytea;

-- Marks that were written without a MAC.
DELETE FROM settings WHERE key = 'ledger_verified';

-- As `ledger_append` did, and gives back what the next MAC is made of. The head row is locked until commit: numbers are
-- dense, in commit order, and the chain never forks. Call it late in a transaction.
DROP FUNCTION ledger_append;
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
