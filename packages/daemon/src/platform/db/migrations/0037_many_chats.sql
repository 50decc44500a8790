-- What the server takes for granted of every month of messages: that there are many chats and many senders in it. Where
-- one chat had nearly all of them, it went through all messages by their time to find the last one of another chat, and
-- for a chat of which nothing is kept through all that there are. Told that there are many, it goes by the chat.
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

SELECT expect_many_chats('messages');
-- It heeds that once it has looked at a table again, which for a long history may be far away.
ANALYZE messages (chat_id, sender_id);

-- As before, and with that.
CREATE OR REPLACE FUNCTION ensure_message_month(at timestamptz, buckets integer DEFAULT 1) RETURNS text
LANGUAGE plpgsql AS $$
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
  PERFORM expect_many_chats(name::regclass);
  RETURN name;
END $$;
