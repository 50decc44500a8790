// How long to wait before trying again, for everything that is tried again. Each step of a table is
// at least twice the one before it, so that jitter never makes a later wait shorter than an earlier
// one; the last step is the cap and is never exceeded.

export interface RetryTable {
  /** The waits in milliseconds. Once the steps are used up, the last one repeats. */
  readonly stepsMs: readonly [number, ...number[]];
  /** How many retries there are; null means it never gives up. */
  readonly retries: number | null;
  /** The share of a wait that jitter may take away, from 0 to 0.4. */
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
  /** The network comes back one day, so this never gives up. */
  whatsapp_reconnect: { stepsMs: RECONNECT_STEPS, retries: null, spread: 0.4 },
  /** For closes that more trying rarely mends and that may harm the account. */
  whatsapp_reconnect_bounded: { stepsMs: RECONNECT_STEPS, retries: 5, spread: 0.4 },
  /** Only for a send that certainly did not leave; one that may have left is reconciled instead. */
  outbound_send: { stepsMs: [5 * SECOND, 10 * SECOND, 20 * SECOND], retries: 3, spread: 0 },
  /** How long everything rests each time WhatsApp says that it was too much at once. */
  sent_too_fast: {
    stepsMs: [15 * MINUTE, 30 * MINUTE, 1 * HOUR, 3 * HOUR, 6 * HOUR],
    retries: null,
    spread: 0,
  },
  model_call: { stepsMs: [1 * SECOND], retries: 1, spread: 0.4 },
  /** Texts without a vector are found by their words meanwhile. */
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
  /** A collector of traces; what it is to be told waits for a day. */
  traces: {
    stepsMs: [4 * SECOND, 15 * SECOND, 1 * MINUTE, 5 * MINUTE],
    retries: null,
    spread: 0.4,
  },
  /** Jobs a person waits for: routing, turns, deliveries, timers. */
  job: {
    stepsMs: [1 * SECOND, 2 * SECOND, 4 * SECOND, 8 * SECOND, 16 * SECOND, 32 * SECOND, 2 * MINUTE],
    retries: 10,
    spread: 0.2,
  },
  /** Jobs nobody waits for: indexing, digests, retention. */
  background_job: {
    stepsMs: [30 * SECOND, 2 * MINUTE, 10 * MINUTE, 1 * HOUR],
    retries: 12,
    spread: 0.4,
  },
} as const satisfies Record<string, RetryTable>;

/** The cap of a table: no wait is longer. */
export const longestWait = (table: RetryTable): number => Math.max(...table.stepsMs);

/**
 * The wait before retry number `attempt` (the first is 1), or null when the table gives up.
 * `jitter` is a random number in [0, 1) that the caller brings; 0 gives the table's own figure.
 */
export function delayFor(table: RetryTable, attempt: number, jitter: number): number | null {
  const retry = Math.max(1, Math.floor(attempt));
  if (table.retries !== null && retry > table.retries) return null;
  const step = table.stepsMs[Math.min(retry, table.stepsMs.length) - 1] ?? longestWait(table);
  return Math.round(step * (1 - table.spread * Math.min(Math.max(jitter, 0), 1)));
}
