-- Retention runs and trace export.

-- Each time the retention limits were applied, and how much was deleted.
CREATE TABLE retention_runs (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id         bigint GENERATED ALWAYS AS IDENTITY,
  -- By the clock that the limits are counted by.
  at         timestamptz NOT NULL,
  cause      text NOT NULL CHECK (cause IN ('start', 'night', 'owner')),
  messages   integer NOT NULL,
  digests    integer NOT NULL,
  -- Whether the files were rewritten, so that the deleted bytes are gone too.
  scoured    boolean NOT NULL,
  ms         integer NOT NULL,
  PRIMARY KEY (account_id, id)
);

-- How far finished work was exported to a trace collector. Empty unless the owner has one.
CREATE TABLE trace_progress (
  account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  -- The name of this home at the collector: random, so that it reveals nothing.
  instance   uuid NOT NULL DEFAULT gen_random_uuid(),
  -- Everything that began before is exported, or too old. NULL while there is no collector.
  since      timestamptz,
  -- No row of the ledger up to here is about work still to be exported.
  ledger_seq bigint NOT NULL DEFAULT 0
);

-- Turns and messages that began since then and were exported.
CREATE TABLE traced (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id         uuid NOT NULL,
  at         timestamptz NOT NULL,
  PRIMARY KEY (account_id, id)
);
