// Shared HTTP input handling of the simulator's servers: reads bodies, validates them and refuses browsers. Invariant:
// no body is read past its limit, and no web page can reach the server.
import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';

const MAX_BODY = 32 * 1024 * 1024;

export class RequestError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export async function readRequestText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY) throw new RequestError(413, `The body is larger than ${MAX_BODY} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The validated value; errors name the path of the invalid part. */
export function parse<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new RequestError(400, `${issue?.path.join('.') || what}: ${issue?.message}`);
}

export function parseBody<T extends z.ZodType>(schema: T, text: string): z.output<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RequestError(400, 'The body is not JSON.');
  }
  return parse(schema, value, 'body');
}

/** A browser sends the origin of its page, and DNS rebinding shows in `host`. */
export function refuseBrowsers({ headers }: IncomingMessage): void {
  const name = headers.host?.replace(/:\d+$/, '');
  if (name !== '127.0.0.1' && name !== 'localhost') {
    throw new RequestError(403, 'This server answers to 127.0.0.1 only.');
  }
  if (headers.origin !== undefined) throw new RequestError(403, 'Not for pages in a browser.');
}
