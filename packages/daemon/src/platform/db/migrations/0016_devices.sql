-- Access from a phone: devices with their passkeys, and the codes that pair them. A session of a device is good only at
-- the address for phones, any other session only on this machine.

CREATE TABLE devices (
  account_id    bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id            uuid NOT NULL DEFAULT gen_random_uuid(),
  name          text NOT NULL,
  -- The host that the passkey belongs to, with its port.
  host          text NOT NULL,
  credential_id bytea NOT NULL,
  public_key    bytea NOT NULL,
  -- The signature counter. Never goes back; 0 if the device does not count.
  counter       bigint NOT NULL,
  synced        boolean NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  last_used_at  timestamptz,
  PRIMARY KEY (account_id, id),
  UNIQUE (id),
  UNIQUE (account_id, credential_id)
);

-- A code belongs to the first phone that opens it, which chooses `attempt`.
CREATE TABLE pairing_codes (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  hash       bytea NOT NULL,
  attempt    bytea,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz,
  PRIMARY KEY (account_id, hash)
);

-- A phone is notified until it is removed or signs out.
ALTER TABLE push_devices
  ADD COLUMN paired_device uuid,
  ADD FOREIGN KEY (account_id, paired_device) REFERENCES devices ON DELETE CASCADE;

ALTER TABLE browser_sessions
  ADD COLUMN device_id uuid,
  -- The last request, to the minute; only for sessions of devices.
  ADD COLUMN used_at timestamptz,
  ADD FOREIGN KEY (device_id) REFERENCES devices (id) ON DELETE CASCADE;
