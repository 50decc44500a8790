// Which route a request means, and what it brings: the words in its path, its query, its body.
// Invariant: a handler sees only values that passed its schema.
import type { z } from 'zod';
import { parse, parseBody, RequestError } from '../http.ts';

export interface Ask {
  /** A word of the path that the route left open. */
  param(name: string): string;
  query<T extends z.ZodType>(schema: T): z.output<T>;
  /** No body at all is an empty one. */
  body<T extends z.ZodType>(schema: T): z.output<T>;
}

export interface Answer {
  status: number;
  body?: unknown;
}

export const shown = (body: unknown): Answer => ({ status: 200, body });
export const made = (body: unknown): Answer => ({ status: 201, body });
export const done: Answer = { status: 204 };

type Handler = (ask: Ask) => Answer | Promise<Answer>;

/** `METHOD /path/:open/…` → who answers. */
export type Routes = Record<string, Handler>;

interface Incoming {
  method: string;
  /** Path and query, as the request line has them. */
  target: string;
  text: string;
}

export async function answer(routes: Routes, incoming: Incoming): Promise<Answer> {
  const { method, target, text } = incoming;
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const words = wordsOf(path);
  for (const [name, handler] of Object.entries(routes)) {
    const [verb, pattern = ''] = name.split(' ');
    const params = verb === method ? match(pattern.split('/'), words) : undefined;
    if (!params) continue;
    return handler({
      param: (key) => params.get(key) ?? '',
      query: (schema) => parse(schema, Object.fromEntries(new URLSearchParams(query)), 'query'),
      body: (schema) => parseBody(schema, text || '{}'),
    });
  }
  throw new RequestError(404, `Nothing answers ${method} ${path}.`);
}

function wordsOf(path: string): string[] {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    throw new RequestError(400, `${path} is not well encoded.`);
  }
}

function match(pattern: string[], words: string[]): Map<string, string> | undefined {
  if (pattern.length !== words.length) return undefined;
  const params = new Map<string, string>();
  for (const [at, expected] of pattern.entries()) {
    const word = words[at] ?? '';
    if (expected.startsWith(':')) params.set(expected.slice(1), word);
    else if (expected !== word) return undefined;
  }
  return params;
}
