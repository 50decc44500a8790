-- Webhooks: addresses that the owner names, and the events delivered to them.

CREATE TABLE webhooks (
  account_id        bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id                uuid NOT NULL,
  -- The client that added it and whose rights limit it; NULL for the owner's.
  token_id          uuid,
  name              text NOT NULL,
  url               text NOT NULL,
  -- Sealed for this home. The previous one signs too for a day, so that a receiver can change over.
  secret            bytea NOT NULL,
  previous_secret   bytea,
  rotated_at        timestamptz,
  events            text[] NOT NULL,
  filter            jsonb NOT NULL DEFAULT '{}',
  include_text      boolean NOT NULL DEFAULT false,
  enabled           boolean NOT NULL DEFAULT true,
  -- Why Relay itself switched it off.
  note              text CHECK (note IN ('gone', 'failing', 'restored')),
  created_at        timestamptz NOT NULL DEFAULT now(),
  last_delivered_at timestamptz,
  -- Since when no delivery has succeeded.
  failing_since     timestamptz,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, token_id) REFERENCES tokens ON DELETE CASCADE
);
CREATE INDEX webhooks_of_token ON webhooks (account_id, token_id) WHERE token_id IS NOT NULL;
CREATE UNIQUE INDEX webhooks_name ON webhooks (account_id, name);

-- What is delivered: ids and codes. Text is read when it is sent, if it still exists.
CREATE TABLE webhook_deliveries (
  account_id   bigint NOT NULL,
  -- The `webhook-id` of the request, the same at every attempt.
  id           uuid NOT NULL DEFAULT gen_random_uuid(),
  seq          bigint GENERATED ALWAYS AS IDENTITY,
  webhook_id   uuid NOT NULL,
  type         text NOT NULL,
  facts        jsonb NOT NULL DEFAULT '{}',
  -- Of the row in `events`; NULL for a ping.
  cursor       text,
  event_at     timestamptz NOT NULL,
  state        text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead', 'dropped')),
  attempts     integer NOT NULL DEFAULT 0,
  next_at      timestamptz,
  last_status  integer,
  -- A code from Relay's own list.
  failure      text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  settled_at   timestamptz,
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, webhook_id, cursor, type),
  FOREIGN KEY (account_id, webhook_id) REFERENCES webhooks ON DELETE CASCADE
);
CREATE INDEX webhook_deliveries_of_one ON webhook_deliveries (account_id, webhook_id, seq DESC);
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (account_id, webhook_id, state) WHERE state IN ('pending', 'dead');

-- The cursor in `events` up to which deliveries were made.
CREATE TABLE webhook_progress (
  account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  cursor     text NOT NULL
);
