// Whose turn it is: the states folded into the five turns that the owner sees, and the states in which the agent has
// something to do, and what for. Invariant: every state belongs to exactly one turn.
import type { InstanceState } from './states.ts';

/** Whose move is next, in the order in which they are shown. */
export const TURNS = ['you', 'agent', 'them', 'parked', 'ended'] as const;
export type Turn = (typeof TURNS)[number];

const TURN_OF: Readonly<Record<InstanceState, Turn>> = {
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

/** A conversation that holds an approval waits for the owner, whatever its state. */
export const turnOf = (state: InstanceState, holdsApproval: boolean): Turn =>
  holdsApproval ? 'you' : TURN_OF[state];

/** The states whose conversations have this turn as long as they hold no approval. */
export const statesOf = (turn: Turn): readonly InstanceState[] =>
  (Object.keys(TURN_OF) as InstanceState[]).filter((state) => TURN_OF[state] === turn);

export type TurnPurpose = 'first_message' | 'reply' | 'follow_up' | 'continue';

/** What the agent is asked for in each state that wants a turn; in all others it rests. */
export const TURN_IN: Readonly<Partial<Record<InstanceState, TurnPurpose>>> = {
  CREATED: 'first_message',
  WAITING_FOR_AGENT: 'reply',
  HEARTBEAT_SCHEDULED: 'follow_up',
  ACTIVE: 'continue',
};

export const TURN_STATES = Object.keys(TURN_IN) as InstanceState[];

/** "Continue" says nothing about what happened before it; a turn taken again after all is told. */
export function purposeNow(
  asked: TurnPurpose,
  { spoken, unread }: { readonly spoken: boolean; readonly unread: number },
): TurnPurpose {
  if (asked !== 'continue') return asked;
  if (!spoken) return 'first_message';
  return unread > 0 ? 'reply' : 'continue';
}
