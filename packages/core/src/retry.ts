// The retry delays of everything that is retried. Each step of a table is at least twice the one before, so that jitter
// never makes a later delay shorter than an earlier one; the last step is the cap.

export interface RetryTable {
  /** The delays in milliseconds. After the last step, it repeats. */
  readonly stepsMs: readonly [number, ...number[]];
  /** The number of retries; null for no limit. */
  readonly retries: number | null;
  /** The share of a delay that jitter may subtract, from 0 to 0.4. */
  readonly spread: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const RECONNECT_STEPS = [
  1 * SECOND,
  2 * SECOND,
  4 * SECOND,
  8 * SECOND,
  16 * SECOND,
  30 * SECOND,
] as const;

export const RETRY = {
  /** The network will come back, so this never gives up. */
  whatsapp_reconnect: { stepsMs: RECONNECT_STEPS, retries: null, spread: 0.4 },
  /** For closes that retrying rarely fixes and that may harm the account. */
  whatsapp_reconnect_bounded: { stepsMs: RECONNECT_STEPS, retries: 5, spread: 0.4 },
  /** Only for a send that certainly failed; one that may have been sent is reconciled instead. */
  outbound_send: { stepsMs: [5 * SECOND, 10 * SECOND, 20 * SECOND], retries: 3, spread: 0 },
  /** How long all sending is frozen each time WhatsApp reports too many messages. */
  sent_too_fast: {
    stepsMs: [15 * MINUTE, 30 * MINUTE, 1 * HOUR, 3 * HOUR, 6 * HOUR],
    retries: null,
    spread: 0,
  },
  model_call: { stepsMs: [1 * SECOND], retries: 1, spread: 0.4 },
  /** Texts without a vector are still found by their words. */
  embedding: {
    stepsMs: [5 * SECOND, 15 * SECOND, 1 * MINUTE, 5 * MINUTE],
    retries: null,
    spread: 0.4,
  },
  webhook: {
    stepsMs: [5 * SECOND, 30 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 12 * HOUR],
    retries: 7,
    spread: 0.2,
  },
  /** A file at WhatsApp's media hosts, or on the account's phone, which may be off for hours. */
  media: {
    stepsMs: [10 * SECOND, 1 * MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR],
    retries: 8,
    spread: 0.2,
  },
  /** A trace collector; its data is kept for a day. */
  traces: {
    stepsMs: [4 * SECOND, 15 * SECOND, 1 * MINUTE, 5 * MINUTE],
    retries: null,
    spread: 0.4,
  },
  /** Jobs that somebody waits for: routing, turns, deliveries, timers. */
  job: {
    stepsMs: [1 * SECOND, 2 * SECOND, 4 * SECOND, 8 * SECOND, 16 * SECOND, 32 * SECOND, 2 * MINUTE],
    retries: 10,
    spread: 0.2,
  },
  /** Jobs that nobody waits for: indexing, digests, retention. */
  background_job: {
    stepsMs: [30 * SECOND, 2 * MINUTE, 10 * MINUTE, 1 * HOUR],
    retries: 12,
    spread: 0.4,
  },
} as const satisfies Record<string, RetryTable>;

/** The cap of a table: no delay is longer. */
export const longestWait = (table: RetryTable): number => Math.max(...table.stepsMs);

/**
 * The delay before retry number `attempt` (the first is 1), or null if the table gives up. `jitter` is a random number
 * in [0, 1) from the caller; 0 gives the table's own value.
 */
export function delayFor(table: RetryTable, attempt: number, jitter: number): number | null {
  const retry = Math.max(1, Math.floor(attempt));
  if (table.retries !== null && retry > table.retries) return null;
  const step = table.stepsMs[Math.min(retry, table.stepsMs.length) - 1] ?? longestWait(table);
  return Math.round(step * (1 - table.spread * Math.min(Math.max(jitter, 0), 1)));
}

/**
 * The wait that a server asks for in `Retry-After`, in milliseconds: seconds or an HTTP date. Null for anything else. A
 * date in the past means no wait.
 */
export function parseRetryAfter(text: string | undefined, now: Date): number | null {
  const given = text?.trim() ?? '';
  if (/^\d{1,9}$/.test(given)) return Number(given) * SECOND;
  // Only the forms of RFC 9110, which name the weekday first: `Date.parse` would accept much more.
  if (!/^(Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?,? /.test(given)) return null;
  const until = Date.parse(given);
  return Number.isNaN(until) ? null : Math.max(0, until - now.getTime());
}
