// What a tool throws becomes what is answered. Invariant: only sentences of the one table go out; anything
// else is `internal` under an id, and what it was stays in the log.
import { randomUUID } from 'node:crypto';
import { RelayError } from '@relay/core/errors';
import type { Log } from '@relay/core/log';
import { isDatabaseAway } from '../store/failures.ts';

export function toldAs(log: Log, tool: string, error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  if (isDatabaseAway(error)) return new RelayError('database_unavailable');
  const request = randomUUID();
  log.error('tool failed', { route: tool, request, error });
  return new RelayError('internal', { request });
}

/** A limit that holds though the work may hang: it is told by the signal, and no longer waited for. */
export async function inTime<T>(
  limitMs: number,
  cancelled: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const cancel = () => over.abort(new RelayError('cancelled'));
  const late = () => over.abort(new RelayError('tool_too_slow', { seconds: limitMs / 1_000 }));
  const timer = setTimeout(late, limitMs);
  cancelled.addEventListener('abort', cancel, { once: true });
  const { promise, reject } = Promise.withResolvers<never>();
  over.signal.addEventListener('abort', () => reject(over.signal.reason), { once: true });
  if (cancelled.aborted) cancel();
  try {
    return await Promise.race([work(over.signal), promise]);
  } finally {
    clearTimeout(timer);
    cancelled.removeEventListener('abort', cancel);
  }
}
