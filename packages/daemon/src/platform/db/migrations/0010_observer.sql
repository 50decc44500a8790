-- Observed groups: which they are, their digests, requests to the assistant in them, and what they cost.

CREATE TABLE observed_groups (
  account_id   bigint NOT NULL,
  chat_id      uuid NOT NULL,
  zone         text NOT NULL,
  options      jsonb NOT NULL DEFAULT '{}',
  since        timestamptz NOT NULL DEFAULT now(),
  -- When the owner stated that the group knows of it.
  announced_at timestamptz,
  PRIMARY KEY (account_id, chat_id),
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE
);

-- A group that is no longer observed: what was written until then is still deleted in time.
CREATE TABLE once_observed (
  account_id bigint NOT NULL,
  chat_id    uuid NOT NULL,
  until      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, chat_id),
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE
);

CREATE FUNCTION remember_observed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO once_observed (account_id, chat_id)
    SELECT c.account_id, c.id FROM chats c WHERE c.account_id = OLD.account_id AND c.id = OLD.chat_id
    ON CONFLICT (account_id, chat_id) DO UPDATE SET until = excluded.until;
  RETURN NULL;
END $$;
CREATE TRIGGER observed_once AFTER DELETE ON observed_groups
  FOR EACH ROW EXECUTE FUNCTION remember_observed();

-- What the noise filter said of each message of an observed group. The text stays in `messages`.
CREATE TABLE observed_messages (
  account_id bigint NOT NULL,
  chat_id    uuid NOT NULL,
  message    bigint NOT NULL,
  sent_at    timestamptz NOT NULL,
  category   text NOT NULL,
  noise      boolean NOT NULL,
  -- How many model tokens the text has.
  tokens     integer NOT NULL,
  PRIMARY KEY (account_id, chat_id, message),
  FOREIGN KEY (account_id, chat_id) REFERENCES observed_groups ON DELETE CASCADE
);
CREATE INDEX observed_messages_by_time ON observed_messages (account_id, chat_id, sent_at);

-- Messages that name the assistant in an observed group. Answered at most once, and only if the owner asked.
CREATE TABLE observer_requests (
  account_id  bigint NOT NULL,
  id          uuid NOT NULL DEFAULT gen_random_uuid(),
  chat_id     uuid NOT NULL,
  message     bigint NOT NULL,
  sent_at     timestamptz NOT NULL,
  state       text NOT NULL DEFAULT 'asked' CHECK (state IN ('asked', 'answering', 'answered', 'silent')),
  verdict     text CHECK (verdict IN ('direct_request', 'mention_only', 'false_positive')),
  -- Why it is not answered.
  reason      text,
  run_id      uuid,
  created_at  timestamptz NOT NULL DEFAULT now(),
  -- The cadence counts from here.
  answered_at timestamptz,
  -- The message that answers it.
  outbox_id   uuid,
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, chat_id, message),
  FOREIGN KEY (account_id, chat_id) REFERENCES observed_groups ON DELETE CASCADE
);
CREATE INDEX observer_requests_answered ON observer_requests (account_id, chat_id, answered_at) WHERE answered_at IS NOT NULL;
CREATE INDEX observer_requests_of_run ON observer_requests (account_id, run_id) WHERE run_id IS NOT NULL;

-- What is known of a message is deleted with it.
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
  -- How many messages it summarises, and the last of them by number: it is made again when these change.
  messages     integer NOT NULL DEFAULT 0,
  read_up_to   bigint NOT NULL DEFAULT 0,
  -- The run that it cost.
  run_id       uuid,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE
);
CREATE UNIQUE INDEX digests_one_per_period ON digests (account_id, chat_id, kind, period_start);

CREATE TABLE digest_facts (
  account_id bigint NOT NULL,
  id         bigint GENERATED ALWAYS AS IDENTITY,
  digest_id  uuid NOT NULL,
  kind       text NOT NULL
             CHECK (kind IN ('decision', 'event', 'action_item', 'open_question', 'participant', 'mood')),
  body       text NOT NULL,
  data       jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, digest_id) REFERENCES digests ON DELETE CASCADE
);
CREATE INDEX digest_facts_of_digest ON digest_facts (account_id, digest_id);

-- A period whose digest could not be made, and why; deleted as soon as there is one.
CREATE TABLE digest_failures (
  account_id   bigint NOT NULL,
  chat_id      uuid NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('hourly', 'daily')),
  period_start timestamptz NOT NULL,
  period_end   timestamptz NOT NULL,
  -- A sentence for the owner.
  reason       text NOT NULL,
  tries        integer NOT NULL DEFAULT 1,
  -- What it would have been made of: with new messages it is worth another try.
  messages     integer NOT NULL,
  read_up_to   bigint NOT NULL,
  at           timestamptz NOT NULL,
  PRIMARY KEY (account_id, chat_id, kind, period_start),
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE
);

CREATE FUNCTION forget_digest_documents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM search_documents d USING gone
    WHERE d.account_id = gone.account_id AND d.source_kind = TG_ARGV[0] AND d.source_id = gone.id::text;
  RETURN NULL;
END $$;
CREATE TRIGGER digests_forget_documents AFTER DELETE ON digests
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_digest_documents('digest');
CREATE TRIGGER digest_facts_forget_documents AFTER DELETE ON digest_facts
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_digest_documents('fact');

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

-- Digest exports: which digests were written where. No reference to `digests`: a row outlives its digest until
-- its lines are gone.
CREATE TABLE outside_copies (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  digest_id  uuid NOT NULL,
  file       text,
  -- The version of the digest that the webhook received.
  told_of    timestamptz,
  -- It is about to be deleted, and nothing more of it may be written.
  erased_at  timestamptz,
  PRIMARY KEY (account_id, digest_id)
);
