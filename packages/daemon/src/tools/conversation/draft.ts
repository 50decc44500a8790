// What a turn wants, while it is being made. Tools write here and nowhere else: nothing has happened
// until the flow commits it, and nothing in it says to whom, because there is only the one contact.
import type { Todo } from '@relay/core/api/instances';

export interface Draft {
  readonly messages: string[];
  readonly todos: Map<Todo['id'], Todo['status']>;
  nextHeartbeatMs: number | null;
  end: string | null;
  intervene: string | null;
}

export const emptyDraft = (): Draft => ({
  messages: [],
  todos: new Map(),
  nextHeartbeatMs: null,
  end: null,
  intervene: null,
});

/** Whether the flow would know how to go on from here. */
export const isSettled = ({ messages, nextHeartbeatMs, end, intervene }: Draft): boolean =>
  messages.length > 0 || nextHeartbeatMs !== null || end !== null || intervene !== null;
