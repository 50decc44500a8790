-- The owner's assistant: what was said to Relay itself, where its memory begins, and what its tools did.

-- A slash command, or the answer to one. No model sees it.
ALTER TABLE session_messages ADD COLUMN command boolean NOT NULL DEFAULT false;

-- The last line that is forgotten: what comes after it is remembered.
ALTER TABLE sessions ADD COLUMN begins_after bigint NOT NULL DEFAULT 0;

-- What a call did, in words for the owner; null for one that did nothing or only looked something up.
ALTER TABLE tool_calls ADD COLUMN effect text;
