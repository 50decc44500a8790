// The daemon's routes as the command calls them. Whatever the daemon refuses arrives here as one
// RemoteError with the daemon's own sentence.
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { DaemonStatus, HealthCheck } from '@relay/core/api/status';
import { RemoteError } from './failure.ts';
import { exchange, readAll, send, type WireRequest } from './http.ts';

/** A backup of everything may take its time before the first byte. */
const PATIENT = 600_000;

export const getStatus = (home: string): Promise<DaemonStatus> =>
  call(home, { method: 'GET', path: '/api/status' });

export const getDoctor = (home: string): Promise<{ checks: HealthCheck[] }> =>
  call(home, { method: 'GET', path: '/api/doctor' });

export const createLoginCode = (home: string): Promise<{ url: string }> =>
  call(home, { method: 'POST', path: '/api/login-codes', ...emptyJson });

export const rotateToken = (home: string): Promise<{ token: string }> =>
  call(home, { method: 'POST', path: '/api/token/rotate', ...emptyJson });

export async function getExport(home: string): Promise<IncomingMessage> {
  const answer = await exchange(home, { method: 'GET', path: '/api/export', patience: PATIENT });
  if (answer.statusCode === 200) return answer;
  throw refusal(answer.statusCode ?? 0, await readAll(answer));
}

export const postImport = (
  home: string,
  archive: Readable,
  size: number,
): Promise<Record<string, unknown>> =>
  call(home, {
    method: 'POST',
    path: '/api/import',
    headers: { 'content-type': 'application/gzip', 'content-length': String(size) },
    body: archive,
    patience: PATIENT,
  });

const emptyJson = { headers: { 'content-type': 'application/json' }, body: '{}' };

async function call<Answer>(home: string, request: WireRequest): Promise<Answer> {
  const { status, body } = await send(home, request);
  if (status < 200 || status > 299) throw refusal(status, body);
  return (body === '' ? {} : JSON.parse(body)) as Answer;
}

function refusal(status: number, body: string): RemoteError {
  try {
    const { error, code } = JSON.parse(body) as { error?: string; code?: string };
    if (error !== undefined) return new RemoteError(code ?? 'internal', error);
  } catch {}
  return new RemoteError('internal', `The daemon answered with ${status} and no reason.`);
}
