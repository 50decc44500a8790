// The shape of a question to the server and of its answer; one table of handlers for each namespace.
// Invariant: a handler answers with data; sending the answer is the dispatcher's work.
import type { Stanza } from '../../wire/nodes.ts';
import type { ServerWorld, Session } from '../world.ts';

export interface Request extends Session {
  stanza: Stanza;
  /** The first child, or an empty node when the question has none. */
  child: Stanza;
  world: ServerWorld;
}

export type Answer =
  | { content?: Stanza[]; after?: () => void }
  | { error: { code: number; text: string } };

/** `namespace/type/child` → what the server answers. */
export type Handlers = Record<string, (request: Request) => Answer | Promise<Answer>>;

export const NOTHING: Answer = {};
export const NOT_FOUND: Answer = { error: { code: 404, text: 'item-not-found' } };
