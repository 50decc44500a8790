-- What programs began and stopped: a conversation names who created it, and a transition whoever outside of
-- it caused it, so that only who paused a conversation, or the owner, lets it go on.
ALTER TABLE instances ADD COLUMN created_by text NOT NULL DEFAULT 'owner';
-- Null: the owner, the agent, the contact or the clock, as its trigger says.
ALTER TABLE instance_transitions ADD COLUMN caused_by text;
