-- Messages that reach Relay beside the wire, and digests that leave it for another memory.

-- Each notification of a forwarder, and which message it tells of: a row of its own in `messages`, or the
-- one that the linked account received. Says nothing of the words, which are that message's.
CREATE TABLE notifications (
  account_id  bigint NOT NULL,
  chat_id     uuid NOT NULL,
  id          bigint GENERATED ALWAYS AS IDENTITY,
  sender_name text NOT NULL,
  at          timestamptz NOT NULL,
  message     bigint NOT NULL,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE
);
CREATE INDEX notifications_of_chat ON notifications (account_id, chat_id, at);
CREATE INDEX notifications_of_message ON notifications (account_id, message);

CREATE FUNCTION forget_notifications() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM notifications n USING gone WHERE n.account_id = gone.account_id AND n.message = gone.id;
  RETURN NULL;
END $$;
CREATE TRIGGER messages_forget_notifications AFTER DELETE ON messages
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_notifications();

-- One token of each kind of caller at a time.
CREATE UNIQUE INDEX tokens_one_forwarder ON tokens (account_id) WHERE 'notifications' = ANY(scopes) AND revoked_at IS NULL;

-- Which digests were written where. No reference to `digests`: a row outlives its digest until its lines are gone.
CREATE TABLE outside_copies (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  digest_id  uuid NOT NULL,
  file       text,
  -- Of which making of the digest the webhook was told.
  told_of    timestamptz,
  -- It is about to go, and nothing more of it may be written.
  erased_at  timestamptz,
  PRIMARY KEY (account_id, digest_id)
);
