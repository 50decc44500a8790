-- How far finished work was told to a collector of traces. Empty unless the owner has one.

CREATE TABLE trace_progress (
  account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  -- What this home is called there: a random name that says nothing.
  instance   uuid NOT NULL DEFAULT gen_random_uuid(),
  -- All that began before is told, or too old. Null while there is no collector.
  since      timestamptz,
  -- No row of the ledger up to here is about what is still to be told.
  ledger_seq bigint NOT NULL DEFAULT 0
);

-- Turns and messages that began since then and were told.
CREATE TABLE traced (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id         uuid NOT NULL,
  at         timestamptz NOT NULL,
  PRIMARY KEY (account_id, id)
);

-- Costs next to nothing where nobody traces: rows come in the order of their time.
CREATE INDEX outbox_by_age ON outbox USING brin (created_at);
