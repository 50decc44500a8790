-- Agents: their sessions, their runs, what each tool call did, and what they spent. A tool's effect is keyed by
-- its call id, so that a call repeated by the model or after a restart has no second effect.

CREATE TABLE sessions (
  account_id    bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id            uuid NOT NULL DEFAULT gen_random_uuid(),
  kind          text NOT NULL CHECK (kind IN ('assistant', 'auto_reply', 'observer')),
  title         text NOT NULL,
  chat_id       uuid,
  contact_id    uuid,
  summary       text,
  options       jsonb NOT NULL DEFAULT '{}',
  created_at    timestamptz NOT NULL DEFAULT now(),
  -- Whom it is with: the id of a contact or an observed group, or `owner`. One session each.
  key           text NOT NULL,
  updated_at    timestamptz NOT NULL DEFAULT now(),
  -- The loop guard: until when auto-reply pauses (cooldown), consecutive cooldowns, and why.
  resting_until timestamptz,
  rests         integer NOT NULL DEFAULT 0,
  rest_reason   text,
  -- The last line that is forgotten: the agent sees only what comes after it.
  begins_after  bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts ON DELETE CASCADE,
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE
);
CREATE UNIQUE INDEX sessions_one_per_key ON sessions (account_id, kind, key);

CREATE TABLE runs (
  account_id    bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id            uuid NOT NULL DEFAULT gen_random_uuid(),
  actor         text NOT NULL,
  session_id    uuid,
  instance_id   uuid,
  -- NULL before the first call of the model.
  provider      text,
  model         text,
  state         text NOT NULL CHECK (state IN ('running', 'done', 'failed', 'discarded')),
  taint         jsonb NOT NULL DEFAULT '[]',
  steps         integer NOT NULL DEFAULT 0,
  input_tokens  integer NOT NULL DEFAULT 0,
  output_tokens integer NOT NULL DEFAULT 0,
  cost_micros   bigint NOT NULL DEFAULT 0,
  failure       text,
  started_at    timestamptz NOT NULL DEFAULT now(),
  ended_at      timestamptz,
  -- The conversation's epoch in which the turn was requested.
  epoch         integer,
  -- The last line of the transcript that the agent was shown.
  read_up_to    bigint,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, session_id) REFERENCES sessions ON DELETE CASCADE,
  FOREIGN KEY (account_id, instance_id) REFERENCES instances ON DELETE CASCADE
);
CREATE INDEX runs_by_time ON runs (account_id, started_at);
CREATE INDEX runs_of_instance ON runs (account_id, instance_id, started_at) WHERE instance_id IS NOT NULL;
CREATE INDEX runs_of_session ON runs (account_id, session_id, started_at) WHERE session_id IS NOT NULL;

CREATE TABLE session_messages (
  account_id  bigint NOT NULL,
  session_id  uuid NOT NULL,
  id          bigint GENERATED ALWAYS AS IDENTITY,
  role        text NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
  content     text NOT NULL,
  run_id      uuid,
  message_id  text,
  at          timestamptz NOT NULL DEFAULT now(),
  -- A line of the contact that is not processed yet.
  waiting     boolean NOT NULL DEFAULT false,
  -- The line that this one answers. An answer is listed after it, whatever was received in between.
  answers     bigint,
  -- How an answer left: in the outbox, or as an approval. Neither: it is kept here only.
  outbox_id   uuid,
  approval_id uuid,
  -- A slash command, or the answer to one. No model sees it.
  command     boolean NOT NULL DEFAULT false,
  -- Written by somebody else: what the owner forwarded to the assistant, or the name of a file.
  untrusted   boolean NOT NULL DEFAULT false,
  -- Shown to the owner in the chat as a suggestion. It was never sent, and only the owner can send it.
  suggested   boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, session_id, id),
  FOREIGN KEY (account_id, session_id) REFERENCES sessions ON DELETE CASCADE
);
CREATE INDEX session_messages_waiting ON session_messages (account_id, session_id, id) WHERE waiting;
CREATE INDEX session_messages_suggested ON session_messages (account_id, session_id) WHERE suggested;
CREATE INDEX session_messages_in_place ON session_messages (account_id, session_id, coalesce(answers, id), id);
CREATE INDEX session_messages_answers ON session_messages (account_id, session_id, at) WHERE answers IS NOT NULL;
CREATE INDEX session_messages_by_message ON session_messages (account_id, message_id)
  WHERE message_id IS NOT NULL;

CREATE TABLE tool_calls (
  account_id bigint NOT NULL,
  run_id     uuid NOT NULL,
  call_id    text NOT NULL,
  name       text NOT NULL,
  arguments  jsonb NOT NULL,
  result     jsonb,
  permit_id  uuid,
  at         timestamptz NOT NULL DEFAULT now(),
  -- What the call did, as a text for the owner; NULL if it did nothing or only looked something up.
  effect     text,
  PRIMARY KEY (account_id, run_id, call_id),
  FOREIGN KEY (account_id, run_id) REFERENCES runs ON DELETE CASCADE
);

-- What all agents used in one of the owner's days, kept beside the runs: it is read after every call of a model
-- and must not cost more the longer the day is.
CREATE TABLE spending (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- In the time zone of the machine on which the daemon runs.
  day        date NOT NULL,
  tokens     bigint NOT NULL CHECK (tokens >= 0),
  -- In millionths of a US dollar.
  micros     bigint NOT NULL DEFAULT 0 CHECK (micros >= 0),
  PRIMARY KEY (account_id, day)
);
