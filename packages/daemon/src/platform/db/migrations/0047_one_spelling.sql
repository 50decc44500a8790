-- The contact of a conversation was kept as it had been typed. One spelling for one number: E.164.
UPDATE instances SET target_contact = '+' || regexp_replace(target_contact, '[^0-9]', '', 'g')
WHERE target_contact !~ '@' AND target_contact ~ '[0-9]';

UPDATE instances SET target_contact = '+' || substring(target_contact FROM '^[0-9]+')
WHERE target_contact ~ '^[0-9]+(_[0-9]+)?(:[0-9]+)?@(s\.whatsapp\.net|c\.us|hosted)$';
