// An answer from the outside, read whole within its limit. What is longer, packed or broken off is none.
import type { IncomingMessage } from 'node:http';
import { EgressError } from './error.ts';

export interface Answer {
  /** Where it came from in the end. */
  readonly url: string;
  readonly status: number;
  /** Names in lower case; what came more than once is joined. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** Whatever follows the head is left where it is. */
export async function readStatus(response: IncomingMessage, url: URL): Promise<Answer> {
  response.destroy();
  const { statusCode: status = 0 } = response;
  return { url: url.href, status, headers: headersOf(response), body: new Uint8Array() };
}

export async function readAnswer(
  response: IncomingMessage,
  url: URL,
  mostBytes: number,
): Promise<Answer> {
  const headers = headersOf(response);
  // A small packet can hold a large answer; none was asked for.
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new EgressError('garbled');
  if (Number(headers['content-length'] ?? 0) > mostBytes) throw new EgressError('too_large');
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > mostBytes) throw new EgressError('too_large');
    parts.push(part);
  }
  return { url: url.href, status: response.statusCode ?? 0, headers, body: Buffer.concat(parts) };
}

const headersOf = ({ headers }: IncomingMessage): Answer['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
