-- Delegated conversations. Each transition is one transaction over these rows, the permits, the outbox
-- and the jobs it causes.

CREATE TABLE instances (
  account_id       bigint NOT NULL,
  id               uuid NOT NULL,
  queue_seq        bigint GENERATED ALWAYS AS IDENTITY,
  contact_id       uuid NOT NULL,
  chat_id          uuid NOT NULL,
  target_contact   text NOT NULL,
  objective        text NOT NULL,
  todos            jsonb NOT NULL DEFAULT '[]',
  state            text NOT NULL,
  previous_state   text,
  interval_ms      bigint NOT NULL,
  max_followups    integer NOT NULL,
  follow_up_count  integer NOT NULL DEFAULT 0,
  failure_reason   text,
  reason           text,
  unread           integer NOT NULL DEFAULT 0,
  epoch            integer NOT NULL DEFAULT 1,
  timer_due_at     timestamptz,
  timer_left_ms    bigint,
  summary          text,
  summary_up_to    bigint,
  options          jsonb NOT NULL DEFAULT '{}',
  created_at       timestamptz NOT NULL DEFAULT now(),
  updated_at       timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts ON DELETE CASCADE,
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE,
  CHECK (state IN ('CREATED', 'QUEUED', 'ACTIVE', 'WAITING_FOR_REPLY', 'WAITING_FOR_AGENT',
    'HEARTBEAT_SCHEDULED', 'PAUSED', 'NEEDS_HUMAN_INTERVENTION', 'COMPLETED', 'ABANDONED', 'FAILED')),
  CHECK ((state = 'PAUSED') = (previous_state IS NOT NULL)),
  CHECK (follow_up_count <= max_followups + 1)
) WITH (fillfactor = 80);

-- At most one conversation holds a contact; one paused in the queue still stands in the queue.
CREATE UNIQUE INDEX instances_one_per_contact ON instances (account_id, contact_id)
  WHERE state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED', 'QUEUED') AND previous_state IS DISTINCT FROM 'QUEUED';
CREATE INDEX instances_queue ON instances (account_id, contact_id, queue_seq) WHERE state = 'QUEUED';
CREATE INDEX instances_newest ON instances (account_id, queue_seq DESC);
CREATE INDEX instances_by_state ON instances (account_id, state, queue_seq DESC);

CREATE TABLE instance_transitions (
  account_id  bigint NOT NULL,
  instance_id uuid NOT NULL,
  id          bigint GENERATED ALWAYS AS IDENTITY,
  from_state  text NOT NULL,
  to_state    text NOT NULL,
  trigger     text NOT NULL,
  epoch       integer NOT NULL,
  at          timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, instance_id, id),
  FOREIGN KEY (account_id, instance_id) REFERENCES instances ON DELETE CASCADE
);

-- The transcript. Append-only: what was said is never changed.
CREATE TABLE instance_messages (
  account_id  bigint NOT NULL,
  instance_id uuid NOT NULL,
  id          bigint GENERATED ALWAYS AS IDENTITY,
  role        text NOT NULL CHECK (role IN ('agent', 'contact', 'system', 'manual')),
  content     text NOT NULL,
  outbox_id   uuid,
  message_id  text,
  at          timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, instance_id, id),
  FOREIGN KEY (account_id, instance_id) REFERENCES instances ON DELETE CASCADE
);
CREATE TRIGGER transcript_append_only BEFORE UPDATE ON instance_messages
  FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- What is to happen later, at most one of a kind for a subject: setting it anew replaces it. When due
-- it becomes a job that carries the epoch. The index on time alone serves the one clock of a cell.
CREATE TABLE timers (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  kind       text NOT NULL,
  subject_id uuid NOT NULL,
  epoch      integer NOT NULL,
  due_at     timestamptz NOT NULL,
  PRIMARY KEY (account_id, kind, subject_id)
) WITH (fillfactor = 80);
CREATE INDEX timers_due ON timers (due_at);
