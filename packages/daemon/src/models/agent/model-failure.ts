// Turns an error of a model provider into a RelayError: whether a retry may help, how long the provider asks to wait,
// and a sentence that contains nothing that was sent or answered.
import { RelayError } from '@relay/contract/errors';
import { parseRetryAfter } from '@relay/core/retry';
import { APICallError } from 'ai';

export interface ModelFailure {
  readonly error: RelayError;
  /** The wait that the provider asked for; null if it did not say. */
  readonly waitMs: number | null;
}

export function classifyModelError(error: unknown, provider: string): ModelFailure {
  if (error instanceof RelayError) return { error, waitMs: null };
  if (!APICallError.isInstance(error)) return { error: garbled(provider, error), waitMs: null };
  const { statusCode: status } = error;
  const waitMs = askedWait(error.responseHeaders ?? {});
  const cause = withoutBodies(error);
  if (status === undefined) return { error: unreachable(provider, reasonOf(error), cause), waitMs };
  if (status === 429)
    return { error: new RelayError('model_busy', { provider }, { cause }), waitMs };
  if (status < 400) return { error: garbled(provider, cause), waitMs };
  if (error.isRetryable) return { error: unreachable(provider, `status ${status}`, cause), waitMs };
  return { error: new RelayError('model_refused', { provider, status }, { cause }), waitMs };
}

const garbled = (provider: string, cause: unknown): RelayError =>
  new RelayError('model_garbled', { provider }, { cause: withoutBodies(cause) });

const unreachable = (provider: string, what: string, cause: unknown): RelayError =>
  new RelayError('model_unreachable', { provider, what }, { cause });

/** The SDK's errors quote requests and answers, and so may their causes. */
function withoutBodies(error: unknown): Error {
  const kept = new Error(error instanceof Error ? error.name : typeof error);
  if (error instanceof Error && error.stack !== undefined)
    kept.stack = error.stack.slice(error.stack.indexOf('\n    at '));
  return kept;
}

/** The system's error code, such as ECONNREFUSED; never a message, because it may quote an answer. */
function reasonOf(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code)) return code;
  }
  return 'no answer';
}

function askedWait(headers: Readonly<Record<string, string>>): number | null {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  return parseRetryAfter(headers['retry-after'], new Date());
}
