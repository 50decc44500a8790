-- Messages for later. An occurrence is a row, so that it happens once whatever restarts in between.

CREATE TABLE schedules (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id         uuid NOT NULL DEFAULT gen_random_uuid(),
  rule       jsonb NOT NULL,
  zone       text NOT NULL,
  chat_id    uuid NOT NULL,
  body       text NOT NULL,
  catch_up   text NOT NULL DEFAULT 'skip' CHECK (catch_up IN ('skip', 'once', 'all')),
  state      text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'done', 'cancelled')),
  created_by text NOT NULL,
  next_at    timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE
);
CREATE INDEX schedules_next ON schedules (account_id, next_at) WHERE state = 'active';

CREATE TABLE schedule_runs (
  account_id  bigint NOT NULL,
  schedule_id uuid NOT NULL,
  due_at      timestamptz NOT NULL,
  outcome     text NOT NULL,
  reason      text NOT NULL,
  permit_id   uuid,
  at          timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, schedule_id, due_at),
  FOREIGN KEY (account_id, schedule_id) REFERENCES schedules ON DELETE CASCADE
);
