-- Notifications of the owner outside WhatsApp, their devices, and each delivery. Not to be confused with the table
-- `notifications`, which holds those that a phone forwards to Relay.

-- The key pair that identifies this daemon to push services (VAPID).
CREATE TABLE push_keys (
  account_id  bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  public_key  text NOT NULL,
  -- Sealed for this home.
  private_key bytea NOT NULL
);

-- Browsers that turned notifications on.
CREATE TABLE push_devices (
  account_id        bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id                uuid NOT NULL DEFAULT gen_random_uuid(),
  name              text NOT NULL,
  -- The address at the push service, and the keys that encrypt for this browser.
  endpoint          text NOT NULL,
  p256dh            text NOT NULL,
  auth              text NOT NULL,
  locale            text NOT NULL,
  -- No reference: a device outlives an expired session, but is removed when the session is signed out.
  session_hash      bytea,
  created_at        timestamptz NOT NULL DEFAULT now(),
  last_delivered_at timestamptz,
  -- Since when no delivery has succeeded.
  failing_since     timestamptz,
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, endpoint)
);

CREATE TABLE owner_notifications (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id         uuid NOT NULL DEFAULT gen_random_uuid(),
  kind       text NOT NULL CHECK (kind IN ('approval', 'conversation', 'link', 'model', 'test')),
  -- What it is about, once: an approval, the event in which a conversation stopped, a day.
  key        text NOT NULL,
  -- The approval or the conversation; a code for the others.
  subject    text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, kind, key)
);
CREATE INDEX owner_notifications_by_subject ON owner_notifications (account_id, subject);

-- One row for each place that a notification goes to. Text is read when it is sent.
CREATE TABLE notification_deliveries (
  account_id      bigint NOT NULL,
  id              uuid NOT NULL DEFAULT gen_random_uuid(),
  seq             bigint GENERATED ALWAYS AS IDENTITY,
  notification_id uuid NOT NULL,
  channel         text NOT NULL CHECK (channel IN ('push', 'ntfy', 'webhook')),
  device_id       uuid,
  -- `close` takes a notification away that was shown.
  action          text NOT NULL CHECK (action IN ('show', 'close')),
  state           text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead', 'dropped')),
  attempts        integer NOT NULL DEFAULT 0,
  next_at         timestamptz,
  last_status     integer,
  -- A code from Relay's own list.
  failure         text,
  created_at      timestamptz NOT NULL,
  settled_at      timestamptz,
  PRIMARY KEY (account_id, id),
  CHECK ((channel = 'push') = (device_id IS NOT NULL)),
  UNIQUE NULLS NOT DISTINCT (account_id, notification_id, channel, device_id, action),
  FOREIGN KEY (account_id, notification_id) REFERENCES owner_notifications ON DELETE CASCADE,
  FOREIGN KEY (account_id, device_id) REFERENCES push_devices ON DELETE CASCADE
);
CREATE INDEX notification_deliveries_by_time ON notification_deliveries (account_id, seq DESC);

-- The cursor in `events` up to which notifications were made.
CREATE TABLE notification_progress (
  account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  cursor     text NOT NULL
);
