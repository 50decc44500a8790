// One request to the model server and its answer under way.
// Invariant: the body was read whole, within its limit, before anybody looks at it.
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  text: string;
}

/** The parsed body, or the text itself where it is no JSON. */
export function looseJson(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
