// The events of a conversation and its transition table. The event names are persisted as the `trigger` of a logged
// transition and appear in the API: never rename one.

import { type InstanceState, isTerminal } from '@relay/contract/conversation/states';
import type { LateReplyPolicy } from '@relay/contract/settings';

export type ConversationEvent =
  // The agent
  | { readonly type: 'agent_sends_first_message' }
  | { readonly type: 'agent_processes_reply' }
  | { readonly type: 'turn_begins' }
  | {
      readonly type: 'message_sent';
      readonly texts: readonly string[];
      /** A follow-up that waited for the owner's approval. */
      readonly followUp?: boolean;
      readonly nextHeartbeatMs?: number;
    }
  | {
      readonly type: 'followup_sent';
      readonly texts: readonly string[];
      readonly nextHeartbeatMs?: number;
    }
  | { readonly type: 'schedule_next_heartbeat'; readonly delayMs: number }
  | { readonly type: 'end_conversation'; readonly reason: string }
  | {
      readonly type: 'request_intervention';
      readonly reason: string;
      /** What the agent wrote to the contact before it asked. */
      readonly texts?: readonly string[];
    }
  | { readonly type: 'unrecoverable_error'; readonly reason: string }
  // The contact, WhatsApp and the clock
  | { readonly type: 'contact_replies' }
  /** The contact wrote after the conversation had ended. */
  | { readonly type: 'late_reply'; readonly policy: LateReplyPolicy }
  /** No message of the conversation is unsent any more. */
  | { readonly type: 'messages_acknowledged'; readonly at: Date }
  | { readonly type: 'heartbeat_fires' }
  | { readonly type: 'max_followups_exceeded' }
  // The owner
  | { readonly type: 'pause' }
  | { readonly type: 'owner_takeover' }
  | { readonly type: 'resume'; readonly contactIsFree: boolean }
  | { readonly type: 'manual_send'; readonly text: string }
  | { readonly type: 'cancel' }
  // The contact's queue
  | { readonly type: 'contact_has_active_instance' }
  | { readonly type: 'prior_instance_terminal' };

export type ConversationEventType = ConversationEvent['type'];

/** Each event as the end of "… is not possible now". */
export const EVENT_PHRASES: Readonly<Record<ConversationEventType, string>> = {
  agent_sends_first_message: 'writing the first message',
  agent_processes_reply: 'reading the reply',
  turn_begins: 'taking a turn',
  message_sent: 'sending a message',
  followup_sent: 'sending a follow-up',
  schedule_next_heartbeat: 'scheduling a follow-up',
  end_conversation: 'ending the conversation',
  request_intervention: 'asking for your input',
  unrecoverable_error: 'failing',
  contact_replies: 'receiving a reply',
  late_reply: 'receiving a late reply',
  messages_acknowledged: 'starting the follow-up timer',
  heartbeat_fires: 'following up',
  max_followups_exceeded: 'ending without a reply',
  pause: 'pausing',
  owner_takeover: 'taking over',
  resume: 'resuming',
  manual_send: 'sending your message',
  cancel: 'cancelling',
  contact_has_active_instance: 'queueing',
  prior_instance_terminal: 'starting from the queue',
};

export const CONVERSATION_EVENT_TYPES = Object.keys(EVENT_PHRASES) as ConversationEventType[];

// The transition table of a conversation: seed 003's rows, completed where the seed leaves a pair open (marked). A
// missing pair is refused. `stay` accepts the event without a transition.

/**
 * `previous` is the state before a pause; see `resume` in transition.ts. `asked` depends on the owner's policy for late
 * replies.
 */
export type TransitionTarget = InstanceState | 'previous' | 'asked' | 'stay';
type Row = Readonly<Partial<Record<ConversationEventType, TransitionTarget>>>;

/** WhatsApp's acknowledgement can arrive in any open state. */
const OPEN = { messages_acknowledged: 'stay' } as const satisfies Row; // completed

/** A contact's reply is never refused, only counted. */
const ALWAYS = { ...OPEN, contact_replies: 'stay' } as const satisfies Row;

/** For some days; the caller knows for how long. */
const ENDED = { late_reply: 'asked' } as const satisfies Row; // completed

/** The two owner's events that every running state accepts. */
const OWNER = {
  pause: 'PAUSED',
  owner_takeover: 'PAUSED',
  cancel: 'FAILED',
} as const satisfies Row;

export const TRANSITION_TABLE: Readonly<Record<InstanceState, Row>> = {
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
    schedule_next_heartbeat: 'stay', // completed: the timer is set again
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
    manual_send: 'stay', // completed: the agent stays paused
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

/** The events that are accepted in this state, for pages that offer only legal moves. */
export function legalEvents(state: InstanceState): readonly ConversationEventType[] {
  return Object.keys(TRANSITION_TABLE[state]) as ConversationEventType[];
}

// The owner's possible moves, read from the transition table: a page shows exactly these buttons, each with the
// resulting state.

/** The owner's events, in display order. A takeover is missing because it happens on the phone. */
export const OWNERS_MOVES = [
  'manual_send',
  'resume',
  'pause',
  'cancel',
] as const satisfies ConversationEventType[];
export type OwnersMove = (typeof OWNERS_MOVES)[number];

export interface LegalMove {
  readonly move: OwnersMove;
  /** The state after the move; unchanged if the event is accepted without a transition. */
  readonly to: InstanceState;
}

/** `previous` is the state before a pause, or the terminal state before a late reply. */
export function ownersMoves(
  state: InstanceState,
  previous: InstanceState | null,
): readonly LegalMove[] {
  return OWNERS_MOVES.flatMap((move) => {
    const target = TRANSITION_TABLE[state][move];
    if (target === undefined) return [];
    if (target === 'stay') return [{ move, to: state }];
    const isLeftEnded = move === 'cancel' && previous !== null && isTerminal(previous);
    const to = target === 'previous' || isLeftEnded ? (previous ?? 'CREATED') : target;
    return to === 'asked' ? [] : [{ move, to }];
  });
}
