-- Agents: their sessions, their runs, and what each tool call did. A tool's effect is keyed by its call
-- id, so that a call repeated by the model or after a restart has no second effect.

CREATE TABLE sessions (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id         uuid NOT NULL DEFAULT gen_random_uuid(),
  kind       text NOT NULL CHECK (kind IN ('assistant', 'auto_reply')),
  title      text NOT NULL,
  chat_id    uuid,
  contact_id uuid,
  summary    text,
  options    jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts ON DELETE CASCADE,
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE
);

CREATE TABLE runs (
  account_id    bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id            uuid NOT NULL DEFAULT gen_random_uuid(),
  actor         text NOT NULL,
  session_id    uuid,
  instance_id   uuid,
  provider      text NOT NULL,
  model         text NOT NULL,
  state         text NOT NULL CHECK (state IN ('running', 'done', 'failed', 'discarded')),
  taint         jsonb NOT NULL DEFAULT '[]',
  steps         integer NOT NULL DEFAULT 0,
  input_tokens  integer NOT NULL DEFAULT 0,
  output_tokens integer NOT NULL DEFAULT 0,
  cost_micros   bigint NOT NULL DEFAULT 0,
  failure       text,
  started_at    timestamptz NOT NULL DEFAULT now(),
  ended_at      timestamptz,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, session_id) REFERENCES sessions ON DELETE CASCADE,
  FOREIGN KEY (account_id, instance_id) REFERENCES instances ON DELETE CASCADE
);
CREATE INDEX runs_by_time ON runs (account_id, started_at);

CREATE TABLE session_messages (
  account_id bigint NOT NULL,
  session_id uuid NOT NULL,
  id         bigint GENERATED ALWAYS AS IDENTITY,
  role       text NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
  content    text NOT NULL,
  run_id     uuid,
  message_id text,
  at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, session_id, id),
  FOREIGN KEY (account_id, session_id) REFERENCES sessions ON DELETE CASCADE
);

CREATE TABLE tool_calls (
  account_id bigint NOT NULL,
  run_id     uuid NOT NULL,
  call_id    text NOT NULL,
  name       text NOT NULL,
  arguments  jsonb NOT NULL,
  result     jsonb,
  permit_id  uuid,
  at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, run_id, call_id),
  FOREIGN KEY (account_id, run_id) REFERENCES runs ON DELETE CASCADE
);
