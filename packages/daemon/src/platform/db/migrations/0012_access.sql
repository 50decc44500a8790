-- Who may call the daemon: clients by token, owners by token or by the session of a browser. Secrets that only need
-- to be recognised are kept as hashes.

-- A token that is valid for several accounts is a row of each, with one id and one hash.

CREATE TABLE tokens (
  account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id           uuid NOT NULL DEFAULT gen_random_uuid(),
  name         text NOT NULL,
  hash         bytea NOT NULL,
  scopes       text[] NOT NULL,
  contacts     uuid[],
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  expires_at   timestamptz,
  revoked_at   timestamptz,
  confirm      boolean NOT NULL DEFAULT true,
  rotated_at   timestamptz,
  -- Since a restore, until the owner accepts the token again.
  suspended_at timestamptz,
  -- All accounts that it is valid for; null if that is only this one.
  spans        bigint[],
  PRIMARY KEY (account_id, id)
);
CREATE UNIQUE INDEX tokens_hash ON tokens (hash, account_id);
CREATE UNIQUE INDEX tokens_name ON tokens (account_id, name)
  WHERE revoked_at IS NULL AND NOT 'notifications' = ANY(scopes);
-- One forwarder of notifications at a time.
CREATE UNIQUE INDEX tokens_one_forwarder ON tokens (account_id) WHERE 'notifications' = ANY(scopes) AND revoked_at IS NULL;

-- The chats a client has read. No reference to `chats`: erasing a chat here does not undo that the client read it.
CREATE TABLE token_reads (
  account_id bigint NOT NULL,
  token_id   uuid NOT NULL,
  chat_id    uuid NOT NULL,
  read_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, token_id, chat_id),
  FOREIGN KEY (account_id, token_id) REFERENCES tokens ON DELETE CASCADE
);

CREATE TABLE login_codes (
  hash       bytea PRIMARY KEY,
  owner_id   bigint NOT NULL DEFAULT 1 REFERENCES owners ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz
);

CREATE TABLE browser_sessions (
  hash       bytea PRIMARY KEY,
  owner_id   bigint NOT NULL DEFAULT 1 REFERENCES owners ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);

-- A request repeated under the same key gets the first answer, or an error if its content differs.
CREATE TABLE idempotency_keys (
  account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  actor        text NOT NULL,
  key          text NOT NULL,
  request_hash bytea NOT NULL,
  status       integer,
  response     jsonb,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, actor, key)
);
