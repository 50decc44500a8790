// The eleven states of a conversation. The names are persisted and part of the API: never rename one. Each has a
// sentence that says whose turn it is.

export const STATE_SENTENCES = {
  CREATED: 'The agent is about to write the first message.',
  QUEUED: 'Another conversation with this contact is open. This one starts when it ends.',
  ACTIVE: 'The agent is working on its next message.',
  WAITING_FOR_REPLY: 'The contact has not replied yet.',
  WAITING_FOR_AGENT: 'The contact replied. The agent reads the reply next.',
  HEARTBEAT_SCHEDULED: 'There was no reply in time. The agent is writing a follow-up.',
  PAUSED: 'Paused. The agent sends nothing until you resume it.',
  NEEDS_HUMAN_INTERVENTION: 'Waiting for you: resume it or send a message yourself.',
  COMPLETED: 'The goal was reached.',
  ABANDONED: 'The contact did not reply to the last follow-up.',
  FAILED: 'It ended without reaching the goal.',
} as const;

const UNSENT_FIRST =
  'A message is queued and not sent yet. The agent continues when WhatsApp accepts it.';

/** Replaces the state's sentence while a message of the conversation is unsent. */
export const UNSENT_SENTENCES: Readonly<Partial<Record<keyof typeof STATE_SENTENCES, string>>> = {
  WAITING_FOR_REPLY:
    'The message is queued and not sent yet. The follow-up timer starts when WhatsApp accepts it.',
  // Written by hand while the conversation was paused.
  CREATED: UNSENT_FIRST,
  ACTIVE: UNSENT_FIRST,
  WAITING_FOR_AGENT:
    'The contact replied. The agent reads the reply when the queued message is sent.',
};

/** The reason of a conversation whose message waits for the owner's approval. */
export const WAITS_FOR_APPROVAL =
  'A message needs your approval: `relay approvals`. Or resume it to let the agent write a new one.';

/** Replaces the state's sentence while follow-up timers are suspended. */
export const FOLLOW_UP_SUSPENDED_SENTENCE =
  'The contact has not replied yet. Follow-ups are suspended while messages cannot be sent.';

export type InstanceState = keyof typeof STATE_SENTENCES;
type TerminalState = 'COMPLETED' | 'ABANDONED' | 'FAILED';
export type NonTerminalState = Exclude<InstanceState, TerminalState>;

export const INSTANCE_STATES = Object.keys(STATE_SENTENCES) as InstanceState[];

export function isTerminal(state: InstanceState): state is TerminalState {
  return state === 'COMPLETED' || state === 'ABANDONED' || state === 'FAILED';
}

// The five turns that the owner sees, and what the agent does in each state that needs it. Every state belongs to
// exactly one turn.

/** Whose turn is next, in display order. */
export const TURNS = ['you', 'agent', 'them', 'parked', 'ended'] as const;
export type WhoseTurn = (typeof TURNS)[number];

const TURN_OF: Readonly<Record<InstanceState, WhoseTurn>> = {
  NEEDS_HUMAN_INTERVENTION: 'you',
  CREATED: 'agent',
  ACTIVE: 'agent',
  WAITING_FOR_AGENT: 'agent',
  HEARTBEAT_SCHEDULED: 'agent',
  WAITING_FOR_REPLY: 'them',
  QUEUED: 'parked',
  PAUSED: 'parked',
  COMPLETED: 'ended',
  ABANDONED: 'ended',
  FAILED: 'ended',
};

/** A conversation with a pending approval waits for the owner, whatever its state. */
export const whoseTurnIn = (state: InstanceState, holdsApproval: boolean): WhoseTurn =>
  holdsApproval ? 'you' : TURN_OF[state];

/** The states with this turn while no approval is pending. */
export const statesOfTurn = (turn: WhoseTurn): readonly InstanceState[] =>
  (Object.keys(TURN_OF) as InstanceState[]).filter((state) => TURN_OF[state] === turn);

export type TurnPurpose = 'first_message' | 'reply' | 'follow_up' | 'continue';

/** The purpose of the agent's turn in each state that needs one; in all others the agent is idle. */
export const TURN_PURPOSES: Readonly<Partial<Record<InstanceState, TurnPurpose>>> = {
  CREATED: 'first_message',
  WAITING_FOR_AGENT: 'reply',
  HEARTBEAT_SCHEDULED: 'follow_up',
  ACTIVE: 'continue',
};

export const TURN_STATES = Object.keys(TURN_PURPOSES) as InstanceState[];

/** Turns "continue" into the actual purpose: a first message if none was sent, a reply if messages are unread. */
export function currentTurnPurpose(
  asked: TurnPurpose,
  { spoken, unread }: { readonly spoken: boolean; readonly unread: number },
): TurnPurpose {
  if (asked !== 'continue') return asked;
  if (!spoken) return 'first_message';
  return unread > 0 ? 'reply' : 'continue';
}
