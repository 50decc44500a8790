// Sends a call again when that is safe and may help: reads, and calls with a key of idempotency, after an answer of
// 429 or 503 or after none. Invariant: nothing else is ever sent twice, and what is sent twice is the same to the byte.
import { PASSING, RelayConnectionError, retryAfterMs } from './api-error.ts';
import { type ClientRequest, type ClientResponse, KEY, type Send } from './client.ts';
import type { Platform } from './platform.ts';

export interface RetryOptions {
  /** How often a call is sent again; 3 unless given, 0 for never. */
  readonly retries?: number;
  /** For how long, in milliseconds: a pause that would go beyond ends it; a minute unless given. */
  readonly patienceMs?: number;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;

export function retrying(
  send: Send,
  { retries = 3, patienceMs = 60_000 }: RetryOptions,
  { now, sleep, chance }: Pick<Platform, 'now' | 'sleep' | 'chance'>,
): Send {
  return async (request) => {
    const began = now();
    for (let sent = 1; ; sent++) {
      const outcome = await attempt(send, request);
      if (!('error' in outcome) && !PASSING.includes(outcome.status)) return outcome;
      const asked = 'error' in outcome ? undefined : retryAfterMs(outcome);
      const pause = pauseBefore(sent, asked, chance());
      const over = sent > retries || now() - began + pause > patienceMs;
      if (over || !isSafe(request)) {
        if ('error' in outcome) throw outcome.error;
        return outcome;
      }
      await sleep(pause, request.signal);
    }
  };
}

const isSafe = ({ method, headers }: ClientRequest): boolean =>
  method === 'GET' || headers[KEY] !== undefined;

/** Never sooner than asked; apart from that half of it is chance, so that many do not come back as one. */
export function pauseBefore(nth: number, asked: number | undefined, chance: number): number {
  const full = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (nth - 1));
  return asked === undefined ? full * (0.5 + chance / 2) : asked + FIRST_PAUSE_MS * chance;
}

async function attempt(
  send: Send,
  request: ClientRequest,
): Promise<ClientResponse | { readonly error: RelayConnectionError }> {
  try {
    return await send(request);
  } catch (error) {
    if (error instanceof RelayConnectionError) return { error };
    throw error;
  }
}
