-- The only way out. A message leaves from `outbox`, a row of it needs a permit, a permit needs the
-- ledger row that says why: the database refuses anything else.

CREATE TABLE approvals (
  account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id           uuid NOT NULL DEFAULT gen_random_uuid(),
  intent       jsonb NOT NULL,
  intent_hash  bytea NOT NULL,
  reason       text NOT NULL,
  requested_by text NOT NULL,
  state        text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved', 'rejected', 'expired')),
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  decided_at   timestamptz,
  used_at      timestamptz,
  PRIMARY KEY (account_id, id)
);
CREATE INDEX approvals_waiting ON approvals (account_id, created_at) WHERE state = 'pending';

CREATE TABLE permits (
  account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id           uuid NOT NULL,
  ledger_seq   bigint NOT NULL,
  actor        text NOT NULL,
  intent       text NOT NULL,
  chat_id      uuid NOT NULL,
  instance_id  uuid,
  content_hash bytea NOT NULL,
  approval_id  uuid,
  created_at   timestamptz NOT NULL DEFAULT now(),
  revoked_at   timestamptz,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, ledger_seq) REFERENCES ledger,
  FOREIGN KEY (account_id, approval_id) REFERENCES approvals
);
CREATE UNIQUE INDEX permits_one_per_approval ON permits (account_id, approval_id) WHERE approval_id IS NOT NULL;

CREATE TABLE outbox (
  account_id      bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id              uuid NOT NULL,
  seq             bigint GENERATED ALWAYS AS IDENTITY,
  permit_id       uuid NOT NULL,
  chat_id         uuid NOT NULL,
  instance_id     uuid,
  -- Chosen before the first attempt and used by every one.
  message_id      text NOT NULL,
  body            text NOT NULL,
  media           jsonb,
  state           text NOT NULL DEFAULT 'pending'
                  CHECK (state IN ('pending', 'sent', 'delivered', 'read', 'failed', 'unknown')),
  attempts        integer NOT NULL DEFAULT 0,
  not_before      timestamptz NOT NULL DEFAULT now(),
  failure         text,
  idempotency_key text,
  created_at      timestamptz NOT NULL DEFAULT now(),
  sent_at         timestamptz,
  delivered_at    timestamptz,
  read_at         timestamptz,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, permit_id) REFERENCES permits,
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX outbox_one_per_permit ON outbox (account_id, permit_id);
CREATE UNIQUE INDEX outbox_one_per_message ON outbox (account_id, message_id);
CREATE UNIQUE INDEX outbox_one_per_key ON outbox (account_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
-- Whether a chat was ever written to.
CREATE INDEX outbox_of_chat ON outbox (account_id, chat_id, seq);
CREATE INDEX outbox_open ON outbox (account_id, seq) WHERE state IN ('pending', 'unknown');
