-- Two contacts turn out to be one: their approvals go over to the chat that is kept, like everything else of theirs.

-- The permit of an approval goes with it.
ALTER TABLE permits
  DROP CONSTRAINT permits_for_what_was_approved,
  ADD CONSTRAINT permits_for_what_was_approved FOREIGN KEY (account_id, approval_id, content_hash)
    REFERENCES approvals (account_id, id, intent_hash) ON UPDATE CASCADE;

-- What was shown stays what was shown. Only the id of the chat may change, with the hash that covers it, and only away
-- from a contact without any address: one that was merged into another.
CREATE FUNCTION refuse_other_content() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.intent->>'chat' IS DISTINCT FROM OLD.intent->>'chat'
    AND NEW.intent - 'chat' = OLD.intent - 'chat'
    AND NEW.instance_id IS NOT DISTINCT FROM OLD.instance_id
    AND (NEW.requested_by = OLD.requested_by OR (
      OLD.requested_by = 'auto_reply:' || (OLD.intent->>'chat')
      AND NEW.requested_by = 'auto_reply:' || (NEW.intent->>'chat')))
    AND EXISTS (SELECT FROM chats c WHERE c.account_id = OLD.account_id AND c.id = (OLD.intent->>'chat')::uuid
      AND c.kind = 'direct' AND NOT EXISTS (SELECT FROM contact_aliases a
        WHERE a.account_id = c.account_id AND a.contact_id = c.contact_id))
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'what an approval is about never changes' USING ERRCODE = 'restrict_violation';
END $$;
DROP TRIGGER approvals_unaltered ON approvals;
CREATE TRIGGER approvals_unaltered BEFORE UPDATE OF intent, intent_hash, requested_by, instance_id ON approvals
  FOR EACH ROW EXECUTE FUNCTION refuse_other_content();
