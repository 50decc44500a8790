-- Groups read in silence: which, what was made of them, and what it cost.

CREATE TABLE observed_groups (
  account_id bigint NOT NULL,
  chat_id    uuid NOT NULL,
  zone       text NOT NULL,
  options    jsonb NOT NULL DEFAULT '{}',
  since      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, chat_id),
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE
);

CREATE TABLE digests (
  account_id   bigint NOT NULL,
  id           uuid NOT NULL DEFAULT gen_random_uuid(),
  chat_id      uuid NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('hourly', 'daily')),
  period_start timestamptz NOT NULL,
  period_end   timestamptz NOT NULL,
  body         text NOT NULL,
  tokens       integer NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE
);
CREATE UNIQUE INDEX digests_one_per_period ON digests (account_id, chat_id, kind, period_start);

CREATE TABLE digest_facts (
  account_id bigint NOT NULL,
  id         bigint GENERATED ALWAYS AS IDENTITY,
  digest_id  uuid NOT NULL,
  kind       text NOT NULL CHECK (kind IN ('decision', 'event', 'action_item', 'open_question', 'participant')),
  body       text NOT NULL,
  data       jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, digest_id) REFERENCES digests ON DELETE CASCADE
);
CREATE INDEX digest_facts_of_digest ON digest_facts (account_id, digest_id);

CREATE TABLE observer_usage (
  account_id    bigint NOT NULL,
  chat_id       uuid NOT NULL,
  day           date NOT NULL,
  messages_kept integer NOT NULL DEFAULT 0,
  messages_cut  integer NOT NULL DEFAULT 0,
  tokens_spent  bigint NOT NULL DEFAULT 0,
  tokens_saved  bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, chat_id, day),
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE
);
