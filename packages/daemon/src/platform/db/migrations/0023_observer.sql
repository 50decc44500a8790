-- Groups read in silence: what is known of each message beside its words, what the noise filter said of it,
-- and who asked for an answer.

-- What the transport read beside the words, and who wrote it where only a name is known.
ALTER TABLE messages ADD COLUMN details jsonb;
ALTER TABLE messages ADD COLUMN sender_name text;

-- When the owner said that the group knows of it.
ALTER TABLE observed_groups ADD COLUMN announced_at timestamptz;

-- The raw buffer: which messages of an observed group are worth a reader's time. The words stay in `messages`.
CREATE TABLE observed_messages (
  account_id bigint NOT NULL,
  chat_id    uuid NOT NULL,
  message    bigint NOT NULL,
  sent_at    timestamptz NOT NULL,
  category   text NOT NULL,
  noise      boolean NOT NULL,
  -- How many the words would cost a model.
  tokens     integer NOT NULL,
  PRIMARY KEY (account_id, chat_id, message),
  FOREIGN KEY (account_id, chat_id) REFERENCES observed_groups ON DELETE CASCADE
);
CREATE INDEX observed_messages_by_time ON observed_messages (account_id, chat_id, sent_at);

-- Whoever names the assistant in an observed group. Answered at most once, and only if the owner asked.
CREATE TABLE observer_requests (
  account_id  bigint NOT NULL,
  id          uuid NOT NULL DEFAULT gen_random_uuid(),
  chat_id     uuid NOT NULL,
  message     bigint NOT NULL,
  sent_at     timestamptz NOT NULL,
  state       text NOT NULL DEFAULT 'asked' CHECK (state IN ('asked', 'answering', 'answered', 'silent')),
  verdict     text CHECK (verdict IN ('direct_request', 'mention_only', 'false_positive')),
  -- Why it is met with silence.
  reason      text,
  run_id      uuid,
  created_at  timestamptz NOT NULL DEFAULT now(),
  -- Counted by cadence from here.
  answered_at timestamptz,
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, chat_id, message),
  FOREIGN KEY (account_id, chat_id) REFERENCES observed_groups ON DELETE CASCADE
);
CREATE INDEX observer_requests_answered ON observer_requests (account_id, chat_id, answered_at) WHERE answered_at IS NOT NULL;

-- An observed group has a session of its own, to which its runs belong.
ALTER TABLE sessions DROP CONSTRAINT sessions_kind_check;
ALTER TABLE sessions ADD CONSTRAINT sessions_kind_check CHECK (kind IN ('assistant', 'auto_reply', 'observer'));

-- What is said of a message goes with it.
CREATE FUNCTION forget_observed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM observed_messages o USING gone
    WHERE o.account_id = gone.account_id AND o.chat_id = gone.chat_id AND o.message = gone.id;
  DELETE FROM observer_requests r USING gone
    WHERE r.account_id = gone.account_id AND r.chat_id = gone.chat_id AND r.message = gone.id;
  RETURN NULL;
END $$;
CREATE TRIGGER messages_forget_observed AFTER DELETE ON messages
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_observed();
