// Errors of a call to the daemon: its refusal, or a failed connection. Response bodies are parsed only here, and by
// hand, because zod takes longer to load than most commands take to run.
import type { ApiErrorResponse } from '../api/common.ts';
import type { RelayErrorCode } from './codes.ts';

/** The known codes, and those of a newer daemon. */
export type ErrorCode = RelayErrorCode | 'refused' | 'unreadable_answer' | (string & {});

/** Statuses after which a safe call may be repeated: the daemon did nothing, and the cause is temporary. */
export const RETRYABLE_HTTP_STATUSES: readonly number[] = [429, 503];

interface RefusalParts {
  readonly action?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The daemon refused the call. The message says what is wrong and what to do. */
export class RelayApiError extends Error {
  /** The HTTP status. */
  readonly status: number;
  readonly code: ErrorCode;
  /** What is wrong. */
  readonly sentence: string;
  /** What to do. */
  readonly action: string | undefined;
  /** Why the gate refused it, as in the ledger. */
  readonly reason: string | undefined;
  readonly details: string | undefined;
  /** The daemon's Retry-After, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, code: ErrorCode, sentence: string, parts: RefusalParts = {}) {
    const { action, reason, details, retryAfterMs } = parts;
    super(action === undefined ? sentence : `${sentence} ${action}`);
    this.name = 'RelayApiError';
    this.status = status;
    this.code = code;
    this.sentence = sentence;
    this.action = action;
    this.reason = reason;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same call may succeed later. */
  get retryable(): boolean {
    return RETRYABLE_HTTP_STATUSES.includes(this.status);
  }
}

/** No response arrived, so it is unknown whether the call was carried out. */
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

/** Returns the daemon's response; throws its refusal. */
export function readResponse(answer: Answered): unknown {
  const parsed = asRefusal(parse(answer.body));
  const { status } = answer;
  if (status >= 200 && status < 300 && parsed !== undefined) return parsed;
  if (!isRefusal(parsed)) {
    const sentence = 'The response did not come from a Relay daemon.';
    throw new RelayApiError(status, 'unreadable_answer', sentence);
  }
  const { error, code = 'refused', action, reason, details } = parsed;
  const parts = { action, reason, details, retryAfterMs: retryAfterMs(answer) };
  throw new RelayApiError(status, code, error, parts);
}

/** Reads Retry-After in seconds or as a date. A date is compared with the server's own clock. */
export function retryAfterMs({ headers }: Pick<Answered, 'headers'>): number | undefined {
  const asked = String(headers['retry-after'] ?? '');
  const ms = /^\d+$/.test(asked)
    ? Number(asked) * 1_000
    : Date.parse(asked) - Date.parse(String(headers.date ?? ''));
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Version 1 answers with problem details: `detail` says what is wrong. */
function asRefusal(parsed: unknown): unknown {
  if (typeof parsed !== 'object' || parsed === null || !('request_id' in parsed)) return parsed;
  const { type, status, ...problem } = parsed as Record<string, unknown>;
  return typeof type === 'string' && typeof status === 'number' && 'detail' in problem
    ? { ...problem, error: problem.detail }
    : parsed;
}

/** Where seed 000 fixes a body, it is a sentence alone. */
type Refusal = Omit<ApiErrorResponse, 'code'> & { readonly code?: string };

function isRefusal(parsed: unknown): parsed is Refusal {
  if (typeof parsed !== 'object' || parsed === null) return false;
  const { error, code, action, reason, details } = parsed as Partial<
    Record<keyof ApiErrorResponse, unknown>
  >;
  const optional = [code, action, reason, details].every(
    (part) => part === undefined || typeof part === 'string',
  );
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
