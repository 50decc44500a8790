-- Programs: what one may do is in its token, and what it has read it goes on having read.
ALTER TABLE tokens
  ADD COLUMN confirm    boolean NOT NULL DEFAULT true,
  ADD COLUMN rotated_at timestamptz;

CREATE UNIQUE INDEX tokens_name ON tokens (account_id, name)
  WHERE revoked_at IS NULL AND NOT 'notifications' = ANY(scopes);

-- No key to chats: a chat that is erased here was read there all the same.
CREATE TABLE token_reads (
  account_id bigint NOT NULL,
  token_id   uuid NOT NULL,
  chat_id    uuid NOT NULL,
  read_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, token_id, chat_id),
  FOREIGN KEY (account_id, token_id) REFERENCES tokens ON DELETE CASCADE
);
