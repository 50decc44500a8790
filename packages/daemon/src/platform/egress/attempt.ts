// One attempt to post to a receiver, and when to try again: shared by what is delivered over HTTP and retried.
import { delayFor, parseRetryAfter, type RetryTable } from '@relay/core/retry';
import type { DeliveryFailure } from '@relay/core/webhooks/failure';
import { type Egress, EgressError, type EgressRequest } from './egress.ts';

export interface AttemptResult {
  readonly status: number | null;
  /** Null: it was delivered. */
  readonly failure: DeliveryFailure | null;
  /** How long the receiver asked to wait. */
  readonly waitMs: number | null;
}

const TIMEOUT_MS = 15_000;
/** The longest wait that a receiver may ask for. */
const LONGEST_WAIT_MS = 86_400_000;

interface AttemptOptions {
  readonly now: Date;
  readonly signal: AbortSignal | undefined;
  /** The statuses that say that the address is gone for good. */
  readonly gone: readonly number[];
}

/** Only the status of the response is read, and `Retry-After`. Receivers should answer at once. */
export async function postOnce(
  egress: Egress,
  url: string,
  request: Pick<EgressRequest, 'headers' | 'body'>,
  { now, signal, gone }: AttemptOptions,
): Promise<AttemptResult> {
  try {
    const { status, headers } = await egress(url, {
      ...request,
      method: 'POST',
      statusOnly: true,
      timeoutMs: TIMEOUT_MS,
      ...(signal === undefined ? {} : { signal }),
    });
    if (status >= 200 && status <= 299) return { status, failure: null, waitMs: null };
    const failure = gone.includes(status) ? 'gone' : 'status';
    return { status, failure, waitMs: parseRetryAfter(headers['retry-after'], now) };
  } catch (error) {
    // The daemon is stopping: not the receiver's fault, and the next start tries again.
    if (signal?.aborted || !(error instanceof EgressError)) throw error;
    return { status: null, failure: error.reason, waitMs: null };
  }
}

/** Milliseconds until the next attempt; null after the last one. */
export function nextAttemptIn(
  table: RetryTable,
  attempts: number,
  { waitMs }: AttemptResult,
): number | null {
  const wait = delayFor(table, attempts, Math.random());
  return wait === null ? null : Math.max(wait, Math.min(waitMs ?? 0, LONGEST_WAIT_MS));
}
