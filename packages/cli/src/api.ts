// HTTP access to the daemon: the client generated from its API, and raw requests for archives, which are streamed. A
// refusal is a RelayApiError with the daemon's own sentence.

import { readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { ArchiveImportReport } from '@relay/contract/api/backups';
import type { ApiErrorResponse } from '@relay/contract/api/common';
import type { ImportEvent } from '@relay/contract/api/imports';
import type { UploadedMedia } from '@relay/contract/api/media';
import type { PostStream } from '@relay/contract/client/answer-stream';
import { RelayApiError } from '@relay/contract/client/api-error';
import { type Client, createClient } from '@relay/contract/client/client';
import { RelayError } from '@relay/contract/errors';
import { pathForAccount } from './chosen-account.ts';
import { findDaemon } from './running-daemon.ts';

export const clientOf = (home: string): Client =>
  createClient({ send: (request) => sendRequest(home, request) });

/**
 * A full backup or a database rewrite can take minutes before the first byte arrives, and a model on one's own machine
 * a minute to be loaded for a test.
 */
const LONG_TIMEOUT_MS = 600_000;

export const longTimeoutClientOf = (home: string): Client =>
  createClient({
    send: (request) => sendRequest(home, { ...request, timeoutMs: LONG_TIMEOUT_MS }),
  });

/** `asBackup`: encrypted if backups are. */
export async function getExport(home: string, asBackup: boolean): Promise<IncomingMessage> {
  const answer = await openResponse(home, {
    method: 'GET',
    path: asBackup ? '/api/export?backup=true' : '/api/export',
    timeoutMs: LONG_TIMEOUT_MS,
  });
  if (answer.statusCode === 200) return answer;
  throw toApiError(answer.statusCode ?? 0, await readBody(answer));
}

interface ArchiveToSend {
  readonly size: number;
  readonly passphrase: string | null;
  /** The name of the account that it adds. */
  readonly as: string | undefined;
}

export async function postImport(
  home: string,
  archive: Readable,
  { size, passphrase, as }: ArchiveToSend,
): Promise<ArchiveImportReport> {
  const { status, body } = await sendRequest(home, {
    method: 'POST',
    path: as === undefined ? '/api/import' : `/api/import?${new URLSearchParams({ as })}`,
    headers: {
      'content-type': 'application/gzip',
      'content-length': String(size),
      ...(passphrase === null
        ? {}
        : { 'relay-archive-passphrase': Buffer.from(passphrase).toString('base64url') }),
    },
    body: archive,
    timeoutMs: LONG_TIMEOUT_MS,
  });
  if (status !== 200) throw toApiError(status, body);
  return JSON.parse(body);
}

/** Stores a file to be sent. */
export async function postMedia(
  home: string,
  file: Readable,
  { size, type, name }: { readonly size: number; readonly type: string; readonly name: string },
): Promise<UploadedMedia> {
  const { status, body } = await sendRequest(home, {
    method: 'POST',
    path: `/api/media?${new URLSearchParams({ file_name: name })}`,
    headers: { 'content-type': type, 'content-length': String(size) },
    body: file,
    timeoutMs: LONG_TIMEOUT_MS,
  });
  if (status !== 201) throw toApiError(status, body);
  return JSON.parse(body);
}

/** Sends the file unchanged and yields the response line by line. */
export async function* postChatExport(
  home: string,
  file: Readable,
  size: number,
  query: Readonly<Record<string, string>>,
): AsyncGenerator<ImportEvent> {
  const answer = await openResponse(home, {
    method: 'POST',
    path: `/api/memory/imports?${new URLSearchParams(query)}`,
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
    body: file,
    timeoutMs: LONG_TIMEOUT_MS,
  });
  if (answer.statusCode !== 200) throw toApiError(answer.statusCode ?? 0, await readBody(answer));
  for await (const line of createInterface({ input: answer })) yield JSON.parse(line);
}
/** The stream sends at least a keep-alive every 20 s. */
const STREAM_TIMEOUT_MS = 60_000;

export const postStream =
  (home: string): PostStream =>
  async (path, body, signal) => {
    const answer = await openResponse(home, {
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body,
      timeoutMs: STREAM_TIMEOUT_MS,
    });
    if (answer.statusCode !== 200) throw toApiError(answer.statusCode ?? 0, await readBody(answer));
    const close = () => answer.destroy();
    if (signal.aborted) close();
    signal.addEventListener('abort', close, { once: true });
    return answer.setEncoding('utf8');
  };

export function toApiError(status: number, body: string): RelayApiError {
  try {
    const { error, code, action } = JSON.parse(body) as Partial<ApiErrorResponse>;
    if (error !== undefined)
      return new RelayApiError(status, code ?? 'internal', error, { action });
  } catch {}
  return new RelayApiError(status, 'internal', `The daemon answered with ${status} and no reason.`);
}

// Raw requests to the daemon: loopback HTTP with the owner's token from `<home>/token`. Uses node:http because loading
// fetch alone takes longer than all of `relay status`.

interface DaemonRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readable;
  /** Milliseconds until the response must begin. */
  readonly timeoutMs?: number;
}

interface DaemonResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The response as a stream, for bodies that are too large to hold in memory. */
export function openResponse(home: string, wire: DaemonRequest): Promise<IncomingMessage> {
  const daemon = findDaemon(home);
  if (daemon.state === 'none') throw new RelayError('daemon_not_running');
  if (daemon.state === 'starting') throw new RelayError('daemon_not_ready');
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const out = request(
    {
      host: '127.0.0.1',
      port: daemon.port,
      method: wire.method,
      path: pathForAccount(wire.path),
      headers: { authorization: `Bearer ${readTokenFile(home)}`, ...wire.headers },
      agent: false,
    },
    resolve,
  );
  out.setTimeout(wire.timeoutMs ?? 30_000, () =>
    out.destroy(new Error('the daemon did not answer in time.')),
  );
  out.on('error', (error: NodeJS.ErrnoException) => reject(toUnreachableError(error)));
  if (wire.body === undefined || typeof wire.body === 'string') out.end(wire.body);
  else wire.body.on('error', (error) => out.destroy(error)).pipe(out);
  return promise;
}

export async function sendRequest(home: string, wire: DaemonRequest): Promise<DaemonResponse> {
  const answer = await openResponse(home, wire);
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    body: await readBody(answer),
  };
}

export async function readBody(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

export function readTokenFile(home: string): string {
  try {
    return readFileSync(join(home, 'token'), 'utf8').trim();
  } catch (error) {
    throw new RelayError('daemon_not_running', {}, { cause: error });
  }
}

export function toUnreachableError(error: NodeJS.ErrnoException): Error {
  const gone = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'];
  if (!gone.includes(error.code ?? '')) return error;
  return new RelayError('daemon_not_running', {}, { cause: error });
}
