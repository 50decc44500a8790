// What the scripted model does in a conversation: its tool calls by name, and the moments at which a turn
// is asked for, as the agent's prompt words them.
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

/** Said in every turn of its kind, beside the contact's own words. */
export const FIRST = 'Purpose of this turn: first_message';
export const FOLLOW_UP = 'Purpose of this turn: follow_up';
/** In whatever turn. */
export const ANY = 'Purpose of this turn: ';

export type { Call };
