// The wire to the daemon: loopback HTTP with the owner's token from `<home>/token`. node:http and not
// fetch, which alone would take longer to load than the whole of `relay status`.
import { readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { RelayError } from '@relay/core/errors';
import { findDaemon } from './daemon.ts';

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readable;
  /** How long the answer may take to begin. */
  readonly patience?: number;
}

export interface WireResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The answer as it arrives: for what is too large to hold. */
export function exchange(home: string, wire: WireRequest): Promise<IncomingMessage> {
  const daemon = findDaemon(home);
  if (daemon.state === 'none') throw new RelayError('daemon_not_running');
  if (daemon.state === 'starting') throw new RelayError('daemon_not_ready');
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const out = request(
    {
      host: '127.0.0.1',
      port: daemon.port,
      method: wire.method,
      path: wire.path,
      headers: { authorization: `Bearer ${readToken(home)}`, ...wire.headers },
      agent: false,
    },
    resolve,
  );
  out.setTimeout(wire.patience ?? 30_000, () =>
    out.destroy(new Error('the daemon did not answer in time.')),
  );
  out.on('error', (error: NodeJS.ErrnoException) => reject(unreachable(error)));
  if (wire.body === undefined || typeof wire.body === 'string') out.end(wire.body);
  else wire.body.on('error', (error) => out.destroy(error)).pipe(out);
  return promise;
}

export async function send(home: string, wire: WireRequest): Promise<WireResponse> {
  const answer = await exchange(home, wire);
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    body: await readAll(answer),
  };
}

export async function readAll(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

export function readToken(home: string): string {
  try {
    return readFileSync(join(home, 'token'), 'utf8').trim();
  } catch (error) {
    throw new RelayError('daemon_not_running', {}, { cause: error });
  }
}

export function unreachable(error: NodeJS.ErrnoException): Error {
  const gone = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'];
  if (!gone.includes(error.code ?? '')) return error;
  return new RelayError('daemon_not_running', {}, { cause: error });
}
