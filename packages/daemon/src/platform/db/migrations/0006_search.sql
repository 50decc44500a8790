-- Search: one document for each message, digest, fact or piece of what media say, its vectors, and how far the index
-- has come.

CREATE TABLE search_documents (
  account_id  bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id          bigint GENERATED ALWAYS AS IDENTITY,
  source_kind text NOT NULL CHECK (source_kind IN ('message', 'media', 'digest', 'fact')),
  source_id   text NOT NULL,
  chat_id     uuid NOT NULL,
  contact_id  uuid,
  at          timestamptz NOT NULL,
  terms       tsvector NOT NULL,
  -- In words: a word counts for more in a short message than in a long one.
  length      integer NOT NULL,
  -- It says that something has changed. Results it supersedes are found together with it.
  changes     boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE
);
CREATE UNIQUE INDEX search_documents_once ON search_documents (account_id, source_kind, source_id);
CREATE INDEX search_documents_of_chat ON search_documents (account_id, chat_id, at DESC);
CREATE INDEX search_documents_changes ON search_documents (account_id, chat_id, at DESC) WHERE changes;
-- No pending list: a document is found within milliseconds of being written.
CREATE INDEX search_documents_terms ON search_documents USING gin (terms) WITH (fastupdate = off);

-- The index follows `messages` by number. Documents of an older version are indexed again.
CREATE TABLE search_progress (
  account_id    bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  version       integer NOT NULL,
  indexed_up_to bigint NOT NULL DEFAULT 0,
  documents     bigint NOT NULL DEFAULT 0
);

-- The documents of a message are deleted with it.
CREATE FUNCTION forget_documents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM search_documents d USING gone
    WHERE d.account_id = gone.account_id AND d.source_kind = 'message' AND d.source_id = gone.id::text;
  RETURN NULL;
END $$;
CREATE TRIGGER messages_forget_documents AFTER DELETE ON messages
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_documents();

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
-- The numbers have no pattern: compressing them gains nothing.
ALTER TABLE search_vectors ALTER COLUMN vector SET STORAGE EXTERNAL;

-- All documents numbered from `lower` to `upper` were processed, and have a vector if they have text.
CREATE TABLE search_vector_progress (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  provider   text NOT NULL,
  model      text NOT NULL,
  lower      bigint NOT NULL,
  upper      bigint NOT NULL,
  PRIMARY KEY (account_id, provider, model)
);

-- Documents whose vector was deleted, or that belong to another chat or contact now. The daemon reads and
-- empties it to correct the vectors it has in memory.
CREATE TABLE search_vectors_changed (
  account_id  bigint NOT NULL,
  document_id bigint NOT NULL
);
CREATE INDEX search_vectors_changed_of_account ON search_vectors_changed (account_id);

CREATE FUNCTION note_vectors_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_vectors_changed SELECT account_id, document_id FROM gone;
  RETURN NULL;
END $$;
CREATE TRIGGER search_vectors_gone AFTER DELETE ON search_vectors
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_vectors_gone();

CREATE FUNCTION note_documents_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_vectors_changed SELECT n.account_id, n.id
    FROM before b JOIN after n USING (account_id, id)
    WHERE (b.chat_id, b.contact_id) IS DISTINCT FROM (n.chat_id, n.contact_id);
  RETURN NULL;
END $$;
CREATE TRIGGER search_documents_moved AFTER UPDATE ON search_documents
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT
  EXECUTE FUNCTION note_documents_moved();
