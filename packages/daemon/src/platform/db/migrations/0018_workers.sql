-- Processes that hold account leases. A lease until `infinity` lives as long as its holder: a worker that is neither lost
-- nor stopped. So a renewal is one row, however many accounts a worker holds.

CREATE TABLE workers (
  id           uuid PRIMARY KEY,
  -- Chosen at each start. A process whose run was replaced can no longer renew.
  run          uuid NOT NULL,
  host         text NOT NULL,
  pid          integer NOT NULL,
  -- Where the worker answers health checks, on its own machine.
  address      text,
  version      text NOT NULL,
  capacity     integer NOT NULL CHECK (capacity >= 0),
  -- Asked to stop: it hands its accounts over and takes none.
  draining     boolean NOT NULL DEFAULT false,
  started_at   timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  -- By then the worker must have renewed itself. Another worker that finds it overdue sets `lost_at`; only then may its
  -- leases be taken, and a renewal that comes later finds no row.
  until        timestamptz NOT NULL,
  lost_at      timestamptz,
  stopped_at   timestamptz
) WITH (fillfactor = 50);

-- The link to WhatsApp as its worker sees it, for processes that show the account and do not hold it. Sealed: it may
-- contain the code that links a device.
CREATE TABLE whatsapp_links (
  account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  link       bytea NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

-- What other processes ask of the worker that holds an account. A request that nobody answers by its deadline has failed
-- and is deleted. Sealed: they contain numbers and the answers to a passkey.
CREATE TABLE worker_requests (
  account_id  bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id          uuid NOT NULL,
  request     bytea NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  deadline    timestamptz NOT NULL,
  -- Set before the worker acts: a request is carried out at most once.
  taken_at    timestamptz,
  answer      bytea,
  PRIMARY KEY (account_id, id)
);
CREATE INDEX worker_requests_open ON worker_requests (account_id) WHERE taken_at IS NULL;

-- A word sealed with the key of this database, so that a process with another key is refused.
CREATE TABLE shared_key (
  one  boolean PRIMARY KEY DEFAULT true CHECK (one),
  word bytea NOT NULL
);
