-- Vectors: what the index in the daemon is loaded from, how far each model has come, and which rows of it
-- are no longer true.

-- Two bits for each number of the vector, by which its neighbours are told from the rest.
ALTER TABLE search_vectors ADD COLUMN sketch bytea NOT NULL;
-- Numbers without a pattern: packing them gains nothing.
ALTER TABLE search_vectors ALTER COLUMN vector SET STORAGE EXTERNAL;

-- All documents numbered from `lower` to `upper` have been looked at, and have a vector if they have words.
CREATE TABLE search_vector_progress (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  provider   text NOT NULL,
  model      text NOT NULL,
  lower      bigint NOT NULL,
  upper      bigint NOT NULL,
  PRIMARY KEY (account_id, provider, model)
);

-- Documents whose vector is gone, or that belong to another chat or person now. Read and emptied by the daemon.
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
