// The daemon's routes as the command calls them, through the client generated from its API. Archives
// are streams and go over the same wire by hand. A refusal is an RelayApiError in the daemon's own words.
import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { ImportReport } from '@relay/core/api/archive';
import type { ImportNews } from '@relay/core/api/imports';
import type { PostStream } from '@relay/core/client/answer-stream';
import { RelayApiError } from '@relay/core/client/api-error';
import { type Client, createClient } from '@relay/core/client/client';
import { exchange, readAll, send } from './http.ts';

export const clientOf = (home: string): Client =>
  createClient({ send: (request) => send(home, request) });

/** A backup of everything may take its time before the first byte; so may writing the database anew. */
const PATIENT = 600_000;

export const patientClientOf = (home: string): Client =>
  createClient({ send: (request) => send(home, { ...request, patience: PATIENT }) });

export async function getExport(home: string): Promise<IncomingMessage> {
  const answer = await exchange(home, { method: 'GET', path: '/api/export', patience: PATIENT });
  if (answer.statusCode === 200) return answer;
  throw refusal(answer.statusCode ?? 0, await readAll(answer));
}

export async function postImport(
  home: string,
  archive: Readable,
  size: number,
): Promise<ImportReport> {
  const { status, body } = await send(home, {
    method: 'POST',
    path: '/api/import',
    headers: { 'content-type': 'application/gzip', 'content-length': String(size) },
    body: archive,
    patience: PATIENT,
  });
  if (status !== 200) throw refusal(status, body);
  return JSON.parse(body);
}

/** The file goes as it is; what comes back is read line by line. */
export async function* postChatExport(
  home: string,
  file: Readable,
  size: number,
  query: Readonly<Record<string, string>>,
): AsyncGenerator<ImportNews> {
  const answer = await exchange(home, {
    method: 'POST',
    path: `/api/memory/imports?${new URLSearchParams(query)}`,
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
    body: file,
    patience: PATIENT,
  });
  if (answer.statusCode !== 200) throw refusal(answer.statusCode ?? 0, await readAll(answer));
  for await (const line of createInterface({ input: answer })) yield JSON.parse(line);
}
/** The stream says something every 20 s, if only that it is there. */
const STREAM_PATIENCE = 60_000;

export const postStream =
  (home: string): PostStream =>
  async (path, body, signal) => {
    const answer = await exchange(home, {
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body,
      patience: STREAM_PATIENCE,
    });
    if (answer.statusCode !== 200) throw refusal(answer.statusCode ?? 0, await readAll(answer));
    const close = () => answer.destroy();
    if (signal.aborted) close();
    signal.addEventListener('abort', close, { once: true });
    return answer.setEncoding('utf8');
  };

export function refusal(status: number, body: string): RelayApiError {
  try {
    const { error, code } = JSON.parse(body) as { error?: string; code?: string };
    if (error !== undefined) return new RelayApiError(status, code ?? 'internal', error);
  } catch {}
  return new RelayApiError(status, 'internal', `The daemon answered with ${status} and no reason.`);
}
