-- What came over the wire and what was said. Text that a stranger chose is stored as bytes wherever it
-- may hold what text cannot (NUL, lone surrogates).

CREATE TABLE whatsapp_credentials (
  account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  value      bytea NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- A session is rewritten with every message: kept in the heap page (HOT), out of TOAST.
CREATE TABLE whatsapp_keys (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  kind       smallint NOT NULL,
  id         text NOT NULL,
  value      bytea NOT NULL,
  PRIMARY KEY (account_id, kind, id)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
ALTER TABLE whatsapp_keys ALTER COLUMN value SET STORAGE MAIN;

CREATE TABLE decrypt_journal (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  digest     bytea NOT NULL,
  plain      bytea NOT NULL,
  at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, digest)
);
CREATE INDEX decrypt_journal_by_age ON decrypt_journal USING brin (at);

-- Received and decrypted, not yet routed. A row is done when its message stands in `messages`.
CREATE TABLE inbox (
  account_id  bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  seq         bigint GENERATED ALWAYS AS IDENTITY,
  chat        text NOT NULL,
  sender      text NOT NULL,
  message_id  text NOT NULL,
  stanza      bytea NOT NULL,
  content     bytea NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  done_at     timestamptz,
  PRIMARY KEY (account_id, chat, sender, message_id)
);
CREATE UNIQUE INDEX inbox_in_order ON inbox (account_id, seq);
CREATE INDEX inbox_open ON inbox (account_id, seq) WHERE done_at IS NULL;

-- Dedupe for ever: partitions of `messages` come and go, a message is known once.
CREATE TABLE message_keys (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  chat_id    uuid NOT NULL,
  sender     text NOT NULL,
  message_id text NOT NULL,
  id         bigint NOT NULL,
  sent_at    timestamptz NOT NULL,
  PRIMARY KEY (account_id, chat_id, sender, message_id)
);
CREATE INDEX message_keys_by_message ON message_keys (account_id, message_id);

CREATE SEQUENCE message_ids;

CREATE TABLE messages (
  account_id   bigint NOT NULL,
  sent_at      timestamptz NOT NULL,
  id           bigint NOT NULL DEFAULT nextval('message_ids'),
  chat_id      uuid NOT NULL,
  sender_id    uuid,
  from_me      boolean NOT NULL,
  message_id   text NOT NULL,
  kind         text NOT NULL,
  body         text NOT NULL,
  content      bytea,
  quoted_id    text,
  media        jsonb,
  received_at  timestamptz NOT NULL DEFAULT now(),
  late         boolean NOT NULL DEFAULT false,
  source       text NOT NULL DEFAULT 'whatsapp',
  PRIMARY KEY (account_id, sent_at, id)
) PARTITION BY RANGE (sent_at);
CREATE INDEX messages_of_chat ON messages (account_id, chat_id, sent_at DESC, id DESC);

-- One partition a month. A cell with many accounts passes `buckets` and gets each month split by
-- account as well; both shapes live under the same table.
CREATE FUNCTION ensure_message_month(at timestamptz, buckets integer DEFAULT 1) RETURNS text
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
  RETURN name;
END $$;

-- What search reads: one document per message, digest, fact or imported line.
CREATE TABLE search_documents (
  account_id  bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id          bigint GENERATED ALWAYS AS IDENTITY,
  source_kind text NOT NULL CHECK (source_kind IN ('message', 'digest', 'fact')),
  source_id   text NOT NULL,
  chat_id     uuid NOT NULL,
  contact_id  uuid,
  at          timestamptz NOT NULL,
  terms       tsvector NOT NULL,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE
);
CREATE UNIQUE INDEX search_documents_once ON search_documents (account_id, source_kind, source_id);
CREATE INDEX search_documents_of_chat ON search_documents (account_id, chat_id, at DESC);
CREATE INDEX search_documents_terms ON search_documents USING gin (terms);

CREATE TABLE search_vectors (
  account_id  bigint NOT NULL,
  document_id bigint NOT NULL,
  provider    text NOT NULL,
  model       text NOT NULL,
  dims        integer NOT NULL,
  vector      bytea NOT NULL,
  PRIMARY KEY (account_id, document_id, provider, model),
  FOREIGN KEY (account_id, document_id) REFERENCES search_documents ON DELETE CASCADE
);
