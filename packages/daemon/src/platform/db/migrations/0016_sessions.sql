-- Sessions of the assistant and of auto-reply: who each one is with, found by a key of its own.

ALTER TABLE sessions
  -- Whom it is with, in the words of its kind: a contact's id, or `owner`. One session each.
  ADD COLUMN key text NOT NULL,
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
CREATE UNIQUE INDEX sessions_one_per_key ON sessions (account_id, kind, key);
CREATE INDEX runs_of_session ON runs (account_id, session_id, started_at) WHERE session_id IS NOT NULL;
