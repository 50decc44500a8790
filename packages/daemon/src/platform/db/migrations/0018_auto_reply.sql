-- Auto-reply: which lines of a session still wait for an answer, which line an answer belongs to and how it
-- left, and when a session rests.

ALTER TABLE session_messages
  -- A contact's line that nobody has dealt with yet.
  ADD COLUMN waiting     boolean NOT NULL DEFAULT false,
  -- The line that this one answers: an answer stands behind it, whatever else was heard meanwhile.
  ADD COLUMN answers     bigint,
  -- How an answer left: in the outbox, or as a question to the owner. Neither: it is kept here only.
  ADD COLUMN outbox_id   uuid,
  ADD COLUMN approval_id uuid;
CREATE INDEX session_messages_waiting ON session_messages (account_id, session_id, id) WHERE waiting;
CREATE INDEX session_messages_in_place ON session_messages (account_id, session_id, coalesce(answers, id), id);
CREATE INDEX session_messages_answers ON session_messages (account_id, session_id, at) WHERE answers IS NOT NULL;

ALTER TABLE sessions
  -- The loop breaker: until when no answer is given, for which time in a row, and why.
  ADD COLUMN resting_until timestamptz,
  ADD COLUMN rests         integer NOT NULL DEFAULT 0,
  ADD COLUMN rest_reason   text;
