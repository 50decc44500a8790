-- The owner's assistant: what it still has to answer, where its memory begins, and what its tools did.

ALTER TABLE session_messages
  -- Said to Relay itself: a slash command, or the answer to one. No model sees it.
  ADD COLUMN command boolean NOT NULL DEFAULT false,
  -- Asked on WhatsApp and not answered yet.
  ADD COLUMN open    boolean NOT NULL DEFAULT false;
CREATE INDEX session_messages_open ON session_messages (account_id, id) WHERE open;

-- The last line that is forgotten: what comes after it is remembered.
ALTER TABLE sessions ADD COLUMN begins_after bigint NOT NULL DEFAULT 0;

-- What a call did, in words for the owner; null for one that did nothing or only looked something up.
ALTER TABLE tool_calls ADD COLUMN effect text;
