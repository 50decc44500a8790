// The edge of the model server: reads a body, finds its route, answers what is wrong with a request.
// Invariant: no body is read past its limit, and no page in a browser can reach the server.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';

export const MAX_BODY = 32 * 1024 * 1024;

export class RequestError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  text: string;
}

export async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY) throw new RequestError(413, `The body is larger than ${MAX_BODY} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
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

export function parseBody<T extends z.ZodType>(schema: T, text: string): z.output<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RequestError(400, 'The body is not JSON.');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new RequestError(400, `${issue?.path.join('.') || 'body'}: ${issue?.message}`);
}

/** A browser names the page it acts for, and a rebound name shows in `host`. */
export function refuseBrowsers({ headers }: IncomingMessage): void {
  const name = headers.host?.replace(/:\d+$/, '');
  if (name !== '127.0.0.1' && name !== 'localhost') {
    throw new RequestError(403, 'This server answers to 127.0.0.1 only.');
  }
  if (headers.origin !== undefined) throw new RequestError(403, 'Not for pages in a browser.');
}
