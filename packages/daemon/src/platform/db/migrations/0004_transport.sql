-- The WhatsApp transport: credentials, keys, decrypted messages, and the inbox that the intake reads.
-- Values and content are sealed (decision 0021).

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

-- Answers a ciphertext that arrives again. `plain` is NULL if its content went to the inbox: then it only has to be
-- acknowledged.
CREATE TABLE decrypt_journal (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  digest     bytea NOT NULL,
  plain      bytea,
  at         timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, digest)
);
CREATE INDEX decrypt_journal_by_age ON decrypt_journal USING brin (at);

-- Received and decrypted, not yet stored as a message. The row is deleted in the transaction that stores the message;
-- `message_keys` then recognizes a redelivery. A row that is done was set aside, or its message is not stored.
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
  -- Why a row was set aside. It is kept: a later release may know how to read it.
  failure     text,
  PRIMARY KEY (account_id, chat, sender, message_id)
);
CREATE UNIQUE INDEX inbox_open ON inbox (account_id, seq) WHERE done_at IS NULL;
