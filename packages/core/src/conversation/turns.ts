// Whose turn it is: the states in which the agent of a conversation has something to do, and what for.
import type { InstanceState } from './states.ts';

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
