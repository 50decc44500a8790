-- A grant that the owner gave no name has none. What people and groups call themselves is shown to the owner, but it
-- is never taken as a name: agents know them by their number or address.
ALTER TABLE grants ALTER COLUMN display_name DROP NOT NULL;
UPDATE grants SET display_name = NULL WHERE display_name = '';
UPDATE grants g SET display_name = NULL FROM contacts p
WHERE p.account_id = g.account_id AND p.id = g.contact_id AND g.display_name IN (p.push_name, p.display_name);
UPDATE grants g SET display_name = NULL FROM chats c
WHERE c.account_id = g.account_id AND c.id = g.chat_id AND g.display_name = c.subject;
