-- Delegated conversations. Each transition is one transaction over these rows, the permits, the outbox
-- and the jobs it causes.

CREATE TABLE instances (
  account_id       bigint NOT NULL,
  id               uuid NOT NULL,
  queue_seq        bigint GENERATED ALWAYS AS IDENTITY,
  contact_id       uuid NOT NULL,
  chat_id          uuid NOT NULL,
  -- A number in E.164, or an address.
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
  -- To the millisecond, as the API shows it, so that the last row of a page is found again.
  updated_at       timestamptz(3) NOT NULL DEFAULT now(),
  -- The owner, the assistant, or the client that created it.
  created_by       text NOT NULL DEFAULT 'owner',
  -- It has messages that WhatsApp has not acknowledged: the follow-up clock starts when it has.
  unsent           boolean NOT NULL DEFAULT false,
  -- When the follow-up clock started. One started while clocks are suspended is extended only by the time since.
  timer_set_at     timestamptz,
  -- A JSON Schema, and what the agent filled it with: written in the statement that ends the conversation. Both keep
  -- the order of their fields.
  result_schema    json,
  result_status    text CHECK (result_status IN ('pending', 'valid', 'missing', 'invalid', 'none')),
  result           json,
  result_reason    text,
  PRIMARY KEY (account_id, id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contacts ON DELETE CASCADE,
  FOREIGN KEY (account_id, chat_id) REFERENCES chats ON DELETE CASCADE,
  CHECK (state IN ('CREATED', 'QUEUED', 'ACTIVE', 'WAITING_FOR_REPLY', 'WAITING_FOR_AGENT',
    'HEARTBEAT_SCHEDULED', 'PAUSED', 'NEEDS_HUMAN_INTERVENTION', 'COMPLETED', 'ABANDONED', 'FAILED')),
  -- A reply to an ended conversation belongs to it for some days. While the owner is asked about it, its previous
  -- state is how it had ended.
  CONSTRAINT instances_previous_state CHECK (CASE state
    WHEN 'PAUSED' THEN previous_state IS NOT NULL
    WHEN 'NEEDS_HUMAN_INTERVENTION' THEN previous_state IS NULL OR previous_state IN ('COMPLETED', 'ABANDONED')
    ELSE previous_state IS NULL END),
  CONSTRAINT instances_result CHECK (CASE WHEN result_schema IS NULL
    THEN num_nonnulls(result_status, result, result_reason) = 0
    ELSE result_status IS NOT NULL AND (result_status = 'valid') = (result IS NOT NULL)
      AND NOT (result_status = 'pending' AND state IN ('COMPLETED', 'ABANDONED', 'FAILED')) END),
  CONSTRAINT instances_check1 CHECK (follow_up_count <= max_followups + 1)
) WITH (fillfactor = 80);

-- At most one conversation holds a contact; one paused in the queue is still in the queue.
CREATE UNIQUE INDEX instances_one_per_contact ON instances (account_id, contact_id)
  WHERE state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED', 'QUEUED') AND previous_state IS DISTINCT FROM 'QUEUED';
CREATE INDEX instances_queue ON instances (account_id, contact_id, queue_seq) WHERE state = 'QUEUED';
CREATE INDEX instances_newest ON instances (account_id, queue_seq DESC);
CREATE INDEX instances_by_state ON instances (account_id, state, queue_seq DESC);
CREATE INDEX instances_by_change ON instances (account_id, state, updated_at DESC, id DESC);
CREATE INDEX instances_of_contact ON instances (account_id, contact_id);
CREATE INDEX instances_ended ON instances (account_id, contact_id, updated_at DESC)
  WHERE state IN ('COMPLETED', 'ABANDONED');

CREATE INDEX instances_with_result ON instances (account_id, updated_at DESC) WHERE result_status IS NOT NULL;

CREATE TABLE instance_transitions (
  account_id  bigint NOT NULL,
  instance_id uuid NOT NULL,
  id          bigint GENERATED ALWAYS AS IDENTITY,
  from_state  text NOT NULL,
  to_state    text NOT NULL,
  trigger     text NOT NULL,
  epoch       integer NOT NULL,
  at          timestamptz NOT NULL DEFAULT now(),
  -- The client that caused it: only the client that paused a conversation, or the owner, may resume it.
  -- NULL: the owner, the agent, the contact or the clock, as its trigger says.
  caused_by   text,
  PRIMARY KEY (account_id, instance_id, id),
  FOREIGN KEY (account_id, instance_id) REFERENCES instances ON DELETE CASCADE
);
CREATE INDEX instance_transitions_by_time ON instance_transitions (account_id, at);

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

-- A line is deleted only with its whole conversation, when a person is erased.
CREATE FUNCTION refuse_lone_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM instances i WHERE i.account_id = OLD.account_id AND i.id = OLD.instance_id) THEN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER transcript_keeps_all BEFORE DELETE ON instance_messages
  FOR EACH ROW EXECUTE FUNCTION refuse_lone_delete();
