-- What `relay why` looks things up by: a message by the beginning of its id, and the session that heard it.

DROP INDEX message_keys_by_message;
-- Serves equality as well as the beginning of an id, whatever the order of letters is in this database.
CREATE INDEX message_keys_by_message ON message_keys (account_id, message_id text_pattern_ops);

CREATE INDEX session_messages_by_message ON session_messages (account_id, message_id)
  WHERE message_id IS NOT NULL;
