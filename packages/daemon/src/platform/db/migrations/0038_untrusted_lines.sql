-- A line of a session that somebody else wrote: what the owner forwarded to the assistant, or the name of a file.
ALTER TABLE session_messages ADD COLUMN untrusted boolean NOT NULL DEFAULT false;
