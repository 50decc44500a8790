-- Whose turn it is, page by page: each state is read in the order of its last change, however many there are.
-- To the millisecond, as the API tells it, so that the last of a page is found again.
ALTER TABLE instances ALTER COLUMN updated_at TYPE timestamptz(3);
CREATE INDEX instances_by_change ON instances (account_id, state, updated_at DESC, id DESC);
CREATE INDEX instances_of_contact ON instances (account_id, contact_id);
-- What a conversation waits for.
CREATE INDEX approvals_of_instance ON approvals (account_id, instance_id) WHERE state = 'pending';
