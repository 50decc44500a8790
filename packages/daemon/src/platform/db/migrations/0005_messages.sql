-- Messages, sent and received, by month.

-- Dedupe for ever: partitions of `messages` are dropped, and a message is still stored only once.
CREATE TABLE message_keys (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  chat_id    uuid NOT NULL,
  sender     text NOT NULL,
  message_id text NOT NULL,
  id         bigint NOT NULL,
  sent_at    timestamptz NOT NULL,
  PRIMARY KEY (account_id, chat_id, sender, message_id)
);
-- Serves equality as well as the beginning of an id, whatever the collation of this database.
CREATE INDEX message_keys_by_message ON message_keys (account_id, message_id text_pattern_ops);

CREATE SEQUENCE message_ids;

CREATE TABLE messages (
  account_id     bigint NOT NULL,
  sent_at        timestamptz NOT NULL,
  id             bigint NOT NULL DEFAULT nextval('message_ids'),
  chat_id        uuid NOT NULL,
  sender_id      uuid,
  from_me        boolean NOT NULL,
  message_id     text NOT NULL,
  kind           text NOT NULL,
  body           text NOT NULL,
  -- The whole message, sealed, if it is more than text: requesting its media again needs it.
  content        bytea,
  quoted_id      text,
  media          jsonb,
  received_at    timestamptz NOT NULL DEFAULT now(),
  late           boolean NOT NULL DEFAULT false,
  source         text NOT NULL DEFAULT 'whatsapp',
  -- The addresses the message came under. Its content is sealed under both, and quoting it needs the sender's,
  -- whatever address the contact has by now. Text has only the sender's.
  chat_address   text,
  sender_address text,
  -- What the transport read besides the text.
  details        jsonb,
  -- The sender, where only a name is known.
  sender_name    text,
  PRIMARY KEY (account_id, sent_at, id)
) PARTITION BY RANGE (sent_at);
CREATE INDEX messages_of_chat ON messages (account_id, chat_id, sent_at DESC, id DESC);
-- Also in groups; the account's own messages have no sender. To filter by contact, to merge two contacts, to
-- erase one.
CREATE INDEX messages_of_sender ON messages (account_id, sender_id, sent_at DESC, id DESC);
CREATE INDEX messages_in_order ON messages (account_id, id);

-- Makes the planner assume many chats and many senders in every month. From statistics of a month in which one
-- chat has nearly all messages, it chose to read all messages by time to find the last one of another chat.
CREATE FUNCTION expect_many_chats(month regclass) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  part regclass;
BEGIN
  FOR part IN SELECT relid FROM pg_partition_tree(month) WHERE isleaf LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN chat_id SET (n_distinct = 1000),
      ALTER COLUMN sender_id SET (n_distinct = 1000)', part);
  END LOOP;
END $$;

-- Row-level security without a policy: a partition shows and takes rows only through `messages`, under its policy.
CREATE FUNCTION close_partitions(month regclass) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  part regclass;
BEGIN
  FOR part IN SELECT relid FROM pg_partition_tree(month) LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', part);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', part);
  END LOOP;
END $$;

-- One partition a month. A server with many accounts passes `buckets` and gets each month split by account as
-- well; both shapes live under the same table. Runs as the owner of the tables, because the daemon's role may
-- not make any (decision 0020).
CREATE FUNCTION ensure_message_month(at timestamptz, buckets integer DEFAULT 1) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = relay, pg_temp AS $$
DECLARE
  first_day date := date_trunc('month', at AT TIME ZONE 'UTC')::date;
  name text := 'messages_' || to_char(first_day, 'YYYY_MM');
  bounds text := format('FOR VALUES FROM (%L) TO (%L)',
    first_day::text || ' 00:00+00', (first_day + interval '1 month')::date::text || ' 00:00+00');
BEGIN
  IF to_regclass(name) IS NOT NULL THEN RETURN name; END IF;
  -- Waits for others that make a month, never for readers or writers; and only a lock on a table, not an
  -- advisory one, lets this session see what they made.
  LOCK TABLE messages IN SHARE UPDATE EXCLUSIVE MODE;
  IF to_regclass(name) IS NOT NULL THEN RETURN name; END IF;
  EXECUTE format('CREATE TABLE %I (LIKE messages INCLUDING DEFAULTS) %s', name,
    CASE WHEN buckets > 1 THEN 'PARTITION BY HASH (account_id)' ELSE '' END);
  FOR bucket IN 0 .. CASE WHEN buckets > 1 THEN buckets - 1 ELSE -1 END LOOP
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
      name || '_' || bucket, name, buckets, bucket);
  END LOOP;
  EXECUTE format('ALTER TABLE messages ATTACH PARTITION %I %s', name, bounds);
  PERFORM close_partitions(name::regclass);
  PERFORM expect_many_chats(name::regclass);
  RETURN name;
END $$;

-- WhatsApp may deliver an erased message again. This mark is all that is kept to recognise it.
CREATE TABLE erased_messages (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  mark       bytea NOT NULL,
  at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, mark)
);
CREATE INDEX erased_messages_by_age ON erased_messages USING brin (at);

CREATE FUNCTION erased_mark(for_account bigint, message_id text) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT sha256(a.salt || convert_to(message_id, 'UTF8')) FROM accounts a WHERE a.id = for_account
$$;

CREATE FUNCTION refuse_erased() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM erased_messages e
    WHERE e.account_id = NEW.account_id AND e.mark = erased_mark(NEW.account_id, NEW.message_id)) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER erased_stays_erased BEFORE INSERT ON message_keys
  FOR EACH ROW EXECUTE FUNCTION refuse_erased();

-- Each notification of a forwarder, and the message it is about: a row of its own in `messages`, or the one that
-- the linked account received. The text is only in that message.
CREATE TABLE notifications (
  account_id  bigint NOT NULL,
  chat_id     uuid NOT NULL,
  id          bigint GENERATED ALWAYS AS IDENTITY,
  sender_name text NOT NULL,
  at          timestamptz NOT NULL,
  message     bigint NOT NULL,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE
);
CREATE INDEX notifications_of_chat ON notifications (account_id, chat_id, at);
CREATE INDEX notifications_of_message ON notifications (account_id, message);

CREATE FUNCTION forget_notifications() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM notifications n USING gone WHERE n.account_id = gone.account_id AND n.message = gone.id;
  RETURN NULL;
END $$;
CREATE TRIGGER messages_forget_notifications AFTER DELETE ON messages
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_notifications();
