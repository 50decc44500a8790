// The transition table of a conversation: seed 003's rows, completed where the seed leaves a pair
// open (marked). A pair that is not here is refused. `stay` takes the event in without a transition.
import type { EventType } from './events.ts';
import type { InstanceState } from './states.ts';

/**
 * `previous` is the state a paused instance came from; see `resume` in transition.ts. `asked` depends on what the
 * owner wants to happen with late replies.
 */
export type Target = InstanceState | 'previous' | 'asked' | 'stay';
type Row = Readonly<Partial<Record<EventType, Target>>>;

/** WhatsApp's acknowledgement may come in any open state. */
const OPEN = { messages_acknowledged: 'stay' } as const satisfies Row; // completed

/** The contact's words are never refused, only counted. */
const ALWAYS = { ...OPEN, contact_replies: 'stay' } as const satisfies Row;

/** For some days; the caller knows for how long. */
const ENDED = { late_reply: 'asked' } as const satisfies Row; // completed

/** The owner's two moves that every running state allows. */
const OWNER = {
  pause: 'PAUSED',
  owner_takeover: 'PAUSED',
  cancel: 'FAILED',
} as const satisfies Row;

export const TABLE: Readonly<Record<InstanceState, Row>> = {
  CREATED: {
    ...ALWAYS,
    ...OWNER,
    agent_sends_first_message: 'ACTIVE',
    contact_has_active_instance: 'QUEUED',
    unrecoverable_error: 'FAILED', // completed
  },
  QUEUED: {
    ...ALWAYS,
    ...OWNER,
    prior_instance_terminal: 'CREATED',
    unrecoverable_error: 'FAILED', // completed
  },
  ACTIVE: {
    ...ALWAYS,
    ...OWNER,
    turn_begins: 'stay', // completed: a turn taken again after a restart or a resume
    message_sent: 'WAITING_FOR_REPLY',
    schedule_next_heartbeat: 'WAITING_FOR_REPLY', // completed: the agent chose to wait in silence
    end_conversation: 'COMPLETED',
    request_intervention: 'NEEDS_HUMAN_INTERVENTION',
    unrecoverable_error: 'FAILED',
    manual_send: 'stay', // completed
  },
  WAITING_FOR_REPLY: {
    ...OPEN,
    ...OWNER,
    contact_replies: 'WAITING_FOR_AGENT',
    heartbeat_fires: 'HEARTBEAT_SCHEDULED',
    schedule_next_heartbeat: 'stay', // completed: the timer is set anew
    end_conversation: 'COMPLETED',
    unrecoverable_error: 'FAILED', // completed
    manual_send: 'stay', // completed
  },
  WAITING_FOR_AGENT: {
    ...ALWAYS,
    ...OWNER,
    agent_processes_reply: 'ACTIVE',
    end_conversation: 'COMPLETED',
    request_intervention: 'NEEDS_HUMAN_INTERVENTION', // completed
    unrecoverable_error: 'FAILED', // completed
    manual_send: 'stay', // completed
  },
  HEARTBEAT_SCHEDULED: {
    ...OPEN,
    ...OWNER,
    contact_replies: 'WAITING_FOR_AGENT', // completed: the follow-up being written is not sent
    followup_sent: 'WAITING_FOR_REPLY',
    schedule_next_heartbeat: 'WAITING_FOR_REPLY', // completed: this follow-up is spent in silence
    max_followups_exceeded: 'ABANDONED',
    end_conversation: 'COMPLETED', // completed
    request_intervention: 'NEEDS_HUMAN_INTERVENTION', // completed
    unrecoverable_error: 'FAILED', // completed
    manual_send: 'stay', // completed
  },
  PAUSED: {
    ...ALWAYS,
    resume: 'previous',
    cancel: 'FAILED',
  },
  NEEDS_HUMAN_INTERVENTION: {
    ...ALWAYS,
    ...OWNER,
    resume: 'ACTIVE',
    manual_send: 'ACTIVE',
    unrecoverable_error: 'FAILED', // completed
  },
  COMPLETED: ENDED,
  ABANDONED: ENDED,
  FAILED: {},
};

/** The events that would be accepted in this state, for a page that offers legal moves only. */
export function legalEvents(state: InstanceState): readonly EventType[] {
  return Object.keys(TABLE[state]) as EventType[];
}
