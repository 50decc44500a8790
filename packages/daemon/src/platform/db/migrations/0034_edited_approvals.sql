-- The owner may change the words of what waits. The question with the old words ends, and another takes its place,
-- which knows what it began as: whoever asked holds the first id, and is told what became of it all the same.

ALTER TABLE approvals ADD COLUMN began_as uuid;
CREATE INDEX approvals_edited ON approvals (account_id, began_as, created_at) WHERE began_as IS NOT NULL;
