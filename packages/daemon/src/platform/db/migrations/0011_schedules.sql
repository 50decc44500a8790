-- Scheduled messages. An occurrence is a row, so that it happens once whatever restarts in between.

CREATE TABLE schedules (
  account_id  bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id          uuid NOT NULL DEFAULT gen_random_uuid(),
  rule        jsonb NOT NULL,
  zone        text NOT NULL,
  chat_id     uuid NOT NULL,
  body        text NOT NULL,
  -- What it is besides text; NULL: only text.
  content     jsonb,
  catch_up    text NOT NULL DEFAULT 'skip' CHECK (catch_up IN ('skip', 'once', 'all')),
  state       text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'done', 'cancelled')),
  created_by  text NOT NULL,
  next_at     timestamptz,
  created_at  timestamptz NOT NULL DEFAULT now(),
  -- The owner's approval of what an agent scheduled.
  approval_id uuid,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE
);
CREATE INDEX schedules_next ON schedules (account_id, next_at) WHERE state = 'active';

CREATE TABLE schedule_runs (
  account_id  bigint NOT NULL,
  schedule_id uuid NOT NULL,
  due_at      timestamptz NOT NULL,
  outcome     text NOT NULL CONSTRAINT schedule_runs_outcome
              CHECK (outcome IN ('queued', 'waiting', 'refused', 'skipped')),
  reason      text NOT NULL,
  permit_id   uuid,
  at          timestamptz NOT NULL DEFAULT now(),
  -- Occurrences that were skipped together are one row, from `due_at` to `last_due_at`.
  count       integer NOT NULL DEFAULT 1,
  last_due_at timestamptz,
  -- The approval that it waits for.
  approval_id uuid,
  PRIMARY KEY (account_id, schedule_id, due_at),
  FOREIGN KEY (account_id, schedule_id) REFERENCES schedules ON DELETE CASCADE
);
