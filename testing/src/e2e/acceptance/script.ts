// The scripted model's tool calls by name, and the phrases of the agent's prompt that identify each kind of turn.
import type { RuleInput } from '@relay/simulator/model/schemas';

type Call = NonNullable<RuleInput['reply']['tool_calls']>[number];

export const send = (text: string): Call => ({ name: 'send_message', arguments: { text } });
export const mark = (todo_id: string, status: string): Call => ({
  name: 'mark_todo_item',
  arguments: { todo_id, status },
});
export const end = (reason: string): Call => ({ name: 'end_conversation', arguments: { reason } });
export const wakeIn = (delay: number): Call => ({
  name: 'schedule_next_heartbeat',
  arguments: { delay },
});
export const placeCall = (): Call => ({ name: 'place_call', arguments: {} });
export const ask = (reason: string): Call => ({
  name: 'request_human_intervention',
  arguments: { reason },
});

/** Part of the prompt of every turn of its kind, besides the contact's own words. */
export const FIRST = 'Purpose of this turn: first_message';
export const FOLLOW_UP = 'Purpose of this turn: follow_up';
/** Matches any turn. */
export const ANY = 'Purpose of this turn: ';

export type { Call };
