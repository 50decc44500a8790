-- The notice in the owner's chat that showed all that an approval is about, as the outbox names it. Its reactions and
-- `/approve` are good for it. Not a foreign key: the outbox refers to permits, and those to approvals.
ALTER TABLE approvals ADD COLUMN notice_id uuid;
CREATE INDEX approvals_of_notice ON approvals (account_id, notice_id) WHERE notice_id IS NOT NULL;
