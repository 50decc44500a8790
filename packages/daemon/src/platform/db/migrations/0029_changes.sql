-- Which messages say that something is not any more as it was, so that what they overtook is found with them.
ALTER TABLE search_documents ADD COLUMN changes boolean NOT NULL DEFAULT false;
CREATE INDEX search_documents_changes ON search_documents (account_id, chat_id, at DESC) WHERE changes;
