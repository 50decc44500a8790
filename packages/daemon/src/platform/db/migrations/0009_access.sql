-- Who may call in, and whom Relay calls. Secrets that only need to be recognised are kept as hashes.

CREATE TABLE tokens (
  account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id           uuid NOT NULL DEFAULT gen_random_uuid(),
  name         text NOT NULL,
  hash         bytea NOT NULL UNIQUE,
  scopes       text[] NOT NULL,
  contacts     uuid[],
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  expires_at   timestamptz,
  revoked_at   timestamptz,
  PRIMARY KEY (account_id, id)
);

CREATE TABLE login_codes (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  hash       bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz,
  PRIMARY KEY (account_id, hash)
);

CREATE TABLE browser_sessions (
  account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  hash         bytea NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  PRIMARY KEY (account_id, hash)
);

CREATE TABLE webhooks (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id         uuid NOT NULL DEFAULT gen_random_uuid(),
  url        text NOT NULL,
  secret     bytea NOT NULL,
  events     text[] NOT NULL,
  filter     jsonb NOT NULL DEFAULT '{}',
  paused_at  timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id)
);

CREATE TABLE webhook_deliveries (
  account_id   bigint NOT NULL,
  webhook_id   uuid NOT NULL,
  id           uuid NOT NULL DEFAULT gen_random_uuid(),
  event        jsonb NOT NULL,
  state        text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead')),
  attempts     integer NOT NULL DEFAULT 0,
  last_status  integer,
  failure      text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  delivered_at timestamptz,
  PRIMARY KEY (account_id, webhook_id, id),
  FOREIGN KEY (account_id, webhook_id) REFERENCES webhooks ON DELETE CASCADE
);
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (account_id, created_at) WHERE state <> 'delivered';

-- A request repeated under the same key gets the first answer, or a refusal if it asks for other things.
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
