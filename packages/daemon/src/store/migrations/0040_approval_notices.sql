-- The notice in the owner's chat that showed all that an approval is about. Its reactions and `/approve` are good for it.
ALTER TABLE approvals ADD COLUMN notice_id uuid;
ALTER TABLE approvals ADD FOREIGN KEY (account_id, notice_id) REFERENCES outbox ON DELETE SET NULL (notice_id);
CREATE INDEX approvals_of_notice ON approvals (account_id, notice_id) WHERE notice_id IS NOT NULL;
