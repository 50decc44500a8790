-- The follow-up clock of a conversation starts when WhatsApp has acknowledged its messages, and is
-- suspended while nothing can be sent.

ALTER TABLE instances ADD COLUMN unsent boolean NOT NULL DEFAULT false;
CREATE INDEX outbox_unsent_of_conversation ON outbox (account_id, instance_id)
  WHERE instance_id IS NOT NULL AND state IN ('pending', 'unknown');
UPDATE instances i SET unsent = true WHERE EXISTS (SELECT FROM outbox o
  WHERE o.account_id = i.account_id AND o.instance_id = i.id AND o.state IN ('pending', 'unknown')
    AND o.told_at IS NULL);

-- Set while follow-up clocks are suspended; when they go on, each gets the time between.
ALTER TABLE accounts ADD COLUMN follow_ups_suspended_since timestamptz;
-- When the clock of a conversation started; one started while clocks are suspended gets only the time since then.
ALTER TABLE instances ADD COLUMN timer_set_at timestamptz;

-- A reply to an ended conversation belongs to it for some days. While the owner is asked about it, its previous
-- state is how it had ended.
ALTER TABLE instances DROP CONSTRAINT instances_check;
ALTER TABLE instances ADD CONSTRAINT instances_previous_state CHECK (CASE state
  WHEN 'PAUSED' THEN previous_state IS NOT NULL
  WHEN 'NEEDS_HUMAN_INTERVENTION' THEN previous_state IS NULL OR previous_state IN ('COMPLETED', 'ABANDONED')
  ELSE previous_state IS NULL END);
CREATE INDEX instances_ended ON instances (account_id, contact_id, updated_at DESC)
  WHERE state IN ('COMPLETED', 'ABANDONED');
