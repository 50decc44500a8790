-- Taking in what was received: where a row that cannot be read is left, and how messages are found again.

-- Why a row was set aside. It is kept: a later release may know how to read it.
ALTER TABLE inbox ADD COLUMN failure text;

-- The addresses a message came under. Its content is sealed under them, and whoever quotes it or asks for
-- its media again has to name it by them on the wire, whatever the contact is called by now.
ALTER TABLE messages ADD COLUMN chat_address text;
ALTER TABLE messages ADD COLUMN sender_address text;

-- When a person last wrote anywhere, so that the last messages of many people are found among few of them.
ALTER TABLE contacts ADD COLUMN last_message_at timestamptz;

-- What one person wrote, also in groups; the account's own words have no sender. To filter by contact, to
-- merge two contacts, to erase one.
CREATE INDEX messages_of_sender ON messages (account_id, sender_id, sent_at DESC, id DESC);
