-- What a person is asked, and what a permit has to know when it is looked at again.

ALTER TABLE approvals
  -- The conversation that asked, if one did.
  ADD COLUMN instance_id uuid,
  -- Why the owner said no, if they said.
  ADD COLUMN answer      text;

-- The same thing asked twice is one question.
CREATE UNIQUE INDEX approvals_asked_once ON approvals (account_id, intent_hash, requested_by)
  WHERE state = 'pending';
-- What was shown stays what was shown.
CREATE TRIGGER approvals_unaltered BEFORE UPDATE OF intent, intent_hash, requested_by, instance_id ON approvals
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- An approval's permit is for the very content that was approved.
ALTER TABLE approvals ADD CONSTRAINT approvals_of_content UNIQUE (account_id, id, intent_hash);
ALTER TABLE permits
  DROP CONSTRAINT permits_account_id_approval_id_fkey,
  ADD CONSTRAINT permits_for_what_was_approved FOREIGN KEY (account_id, approval_id, content_hash)
    REFERENCES approvals (account_id, id, intent_hash),
  -- The conversation's epoch when it was given: what happened to the conversation since has a later one.
  ADD COLUMN instance_epoch  integer,
  -- A follow-up: the last line of the transcript it was written after. A later one of the contact stops it.
  ADD COLUMN follow_up_after bigint;
