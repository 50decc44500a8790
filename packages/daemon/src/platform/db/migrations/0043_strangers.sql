-- Messages of strangers are stored up to a daily budget; beyond it they are only counted.

CREATE TABLE stranger_use (
  account_id bigint NOT NULL,
  -- In UTC.
  day        date NOT NULL,
  contact_id uuid NOT NULL,
  bytes      bigint NOT NULL DEFAULT 0,
  not_stored integer NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, day, contact_id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts ON DELETE CASCADE
);
CREATE INDEX stranger_use_of_contact ON stranger_use (account_id, contact_id);

-- The journal entry of the same message: its content goes when the message is not stored.
ALTER TABLE inbox ADD COLUMN digest bytea;
