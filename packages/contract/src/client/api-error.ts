// What a call to the daemon may throw: its refusal in its own words, or that it could not be reached. The body of
// an answer is read here and nowhere else, by hand: zod takes longer to load than most commands take to run.
import type { ApiErrorResponse } from '../api/common.ts';
import type { RelayErrorCode } from './codes.ts';

/** Those of the one table, and what a newer daemon may know. */
export type ErrorCode = RelayErrorCode | 'refused' | 'unreadable_answer' | (string & {});

/** What to try again when that is safe: the daemon did nothing, and says it may pass. */
export const RETRYABLE_HTTP_STATUSES: readonly number[] = [429, 503];

/** The daemon refused, in its own words. */
export class RelayApiError extends Error {
  /** Of HTTP. */
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: string | undefined;
  /** How long the daemon asks to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    status: number,
    code: ErrorCode,
    sentence: string,
    details?: string,
    retryAfterMs?: number,
  ) {
    super(sentence);
    this.name = 'RelayApiError';
    this.status = status;
    this.code = code;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }

  /** What is wrong and what to do next, for a person. */
  get sentence(): string {
    return this.message;
  }

  /** Whether the same call may succeed later. */
  get retryable(): boolean {
    return RETRYABLE_HTTP_STATUSES.includes(this.status);
  }
}

/** Nothing came back, so nobody knows whether the call was carried out. */
export class RelayConnectionError extends Error {
  readonly retryable = true;

  constructor(sentence: string, cause?: unknown) {
    super(sentence, { cause });
    this.name = 'RelayConnectionError';
  }
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** What the daemon answered; throws what it refused. */
export function readResponse(answer: Answered): unknown {
  const parsed = parse(answer.body);
  const { status } = answer;
  if (status >= 200 && status < 300 && parsed !== undefined) return parsed;
  if (!isRefusal(parsed)) {
    const sentence = 'The answer did not come from a Relay daemon.';
    throw new RelayApiError(status, 'unreadable_answer', sentence);
  }
  const { error, code = 'refused', details } = parsed;
  throw new RelayApiError(status, code, error, details, retryAfterMs(answer));
}

/** In seconds, or as a date, which is read by the clock of whoever wrote it. */
export function retryAfterMs({ headers }: Pick<Answered, 'headers'>): number | undefined {
  const asked = String(headers['retry-after'] ?? '');
  const ms = /^\d+$/.test(asked)
    ? Number(asked) * 1_000
    : Date.parse(asked) - Date.parse(String(headers.date ?? ''));
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Where seed 000 gives a body, it is a sentence alone. */
type Refusal = Omit<ApiErrorResponse, 'code'> & { readonly code?: string };

function isRefusal(parsed: unknown): parsed is Refusal {
  if (typeof parsed !== 'object' || parsed === null) return false;
  const { error, code, details } = parsed as Partial<Record<keyof ApiErrorResponse, unknown>>;
  const optional = [code, details].every((part) => part === undefined || typeof part === 'string');
  return typeof error === 'string' && optional;
}

function parse(body: string): unknown {
  if (body === '') return null;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
