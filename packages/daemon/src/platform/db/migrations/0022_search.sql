-- Search: how far the index has come, and what ranking needs of each document.

-- The index follows `messages` by their numbers. What was indexed in an older way is indexed anew.
CREATE TABLE search_progress (
  account_id    bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  version       integer NOT NULL,
  indexed_up_to bigint NOT NULL DEFAULT 0,
  documents     bigint NOT NULL DEFAULT 0
);

-- How many words it has: a word says more in a short message than in a long one.
ALTER TABLE search_documents ADD COLUMN length integer NOT NULL;

-- Found within milliseconds of being written: no list of what is still to be sorted in.
ALTER INDEX search_documents_terms SET (fastupdate = off);

CREATE INDEX messages_in_order ON messages (account_id, id);

-- What is said of a message goes with it.
CREATE FUNCTION forget_documents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM search_documents d USING gone
    WHERE d.account_id = gone.account_id AND d.source_kind = 'message' AND d.source_id = gone.id::text;
  RETURN NULL;
END $$;
CREATE TRIGGER messages_forget_documents AFTER DELETE ON messages
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_documents();
