-- Media: the files of messages, received, uploaded and sent. Their bytes are sealed files outside the database.

-- One row a content, however many messages carry it. `object` is the name of the sealed file: it is derived with the
-- vault's key, so that nobody without the key can tell from a name which content it is.
CREATE TABLE media_objects (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- Of the plain bytes.
  sha256     bytea NOT NULL,
  object     text NOT NULL,
  bytes      bigint NOT NULL,
  stored_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, sha256),
  UNIQUE (account_id, object)
);

CREATE TABLE media (
  account_id    bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id            uuid NOT NULL DEFAULT gen_random_uuid(),
  -- NULL: an upload that no chat has yet.
  chat_id       uuid,
  -- The number of its message in `messages`; NULL for an upload.
  message       bigint,
  -- When that message was sent: with the number, its key.
  message_at    timestamptz,
  -- WhatsApp's id of the message.
  message_id    text,
  origin        text NOT NULL CHECK (origin IN ('received', 'uploaded', 'sent')),
  -- The client that uploaded it; NULL: the owner, or nobody.
  token_id      uuid,
  kind          text NOT NULL CHECK (kind IN ('image', 'voice', 'audio', 'video', 'document', 'sticker')),
  -- As declared until it is stored, as detected from the bytes afterwards.
  mime_type     text,
  file_name     text,
  seconds       double precision,
  -- As declared until it is stored.
  bytes         bigint,
  -- Of the plain bytes; NULL until it is stored, and again once it is removed.
  sha256        bytea,
  state         text NOT NULL CHECK (state IN ('waiting', 'stored', 'unavailable', 'refused', 'removed')),
  -- A code; NULL while it is waiting for its first attempt, and once it is stored.
  reason        text,
  attempts      integer NOT NULL DEFAULT 0,
  -- Not before this time; NULL: now.
  not_before    timestamptz,
  understood    text NOT NULL DEFAULT 'not_needed' CHECK (understood IN ('not_needed', 'waiting', 'done', 'failed')),
  -- What a machine made of speech.
  transcript    text,
  language      text,
  -- The text of a document.
  extracted     text CHECK (length(extracted) <= 200000),
  -- The model or library.
  understood_by text,
  view_once     boolean NOT NULL DEFAULT false,
  created_at    timestamptz NOT NULL DEFAULT now(),
  stored_at     timestamptz,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE,
  -- An object stays as long as a row refers to it.
  FOREIGN KEY (account_id, sha256) REFERENCES media_objects,
  CHECK ((state = 'stored') = (sha256 IS NOT NULL)),
  CHECK ((message IS NULL) = (message_at IS NULL))
);
-- A message has one piece of media at most. The job of a message finds it again by this.
CREATE UNIQUE INDEX media_one_per_message ON media (account_id, message) WHERE message IS NOT NULL;
CREATE INDEX media_of_chat ON media (account_id, chat_id, created_at);
-- The lines of agents name a message by WhatsApp's id.
CREATE INDEX media_of_message_id ON media (account_id, chat_id, message_id) WHERE message IS NOT NULL;
CREATE INDEX media_of_object ON media (account_id, sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX media_waiting ON media (account_id, created_at) WHERE state = 'waiting';
-- A grant fetches what was refused for want of one.
CREATE INDEX media_not_granted ON media (account_id, message_at) WHERE state = 'refused' AND reason = 'no_read_grant';
CREATE INDEX media_not_understood ON media (account_id, created_at) WHERE understood = 'waiting';
-- Uploads that no message has used, oldest first.
CREATE INDEX media_uploads ON media (account_id, created_at) WHERE message IS NULL;

CREATE FUNCTION forget_media() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM media m USING gone WHERE m.account_id = gone.account_id AND m.message = gone.id;
  RETURN NULL;
END $$;
CREATE TRIGGER messages_forget_media AFTER DELETE ON messages
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_media();

-- Reactions, edits and deletions, to show them with the message they belong to.
CREATE INDEX messages_marking ON messages (account_id, chat_id, quoted_id)
  WHERE quoted_id IS NOT NULL AND (kind IN ('reactionMessage', 'protocolMessage') OR details ? 'edits');

-- What a message says, for everybody who reads it as text: its body and what was understood of its media. `most` is how
-- many characters of a document are given.
CREATE FUNCTION message_text(account bigint, number bigint, body text, most integer) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce((SELECT CASE
      WHEN m.transcript IS NOT NULL THEN body || ' (written down by a machine) ' || m.transcript
      WHEN m.extracted IS NOT NULL THEN body || E'\n(text of the document) ' || left(m.extracted, most)
        || CASE WHEN length(m.extracted) > most THEN E'\n[… ' || length(m.extracted) - most || ' characters left out …]'
          ELSE '' END
    END FROM media m WHERE m.account_id = account AND m.message = number), body)
$$;

-- What media say is found in pieces of 2,000 characters: `<number of the message>.<piece>`.
CREATE FUNCTION forget_media_documents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM search_documents d USING (
      SELECT g.account_id, g.message || '.' || n AS source_id
      FROM gone g, generate_series(0, length(coalesce(g.transcript, g.extracted)) / 2000) n
      WHERE g.message IS NOT NULL) said
    WHERE d.account_id = said.account_id AND d.source_kind = 'media' AND d.source_id = said.source_id;
  RETURN NULL;
END $$;
CREATE TRIGGER media_forget_documents AFTER DELETE ON media
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_media_documents();
