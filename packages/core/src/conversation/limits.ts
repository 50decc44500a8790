// How much may be handed in for a conversation. One place for the API, which refuses more, and for the
// command, which says so before it asks.

export const LIMITS = {
  objective: 4_000,
  contact: 64,
  todos: 50,
  todo: 500,
  facts: 50,
  fact: 500,
  message: 5_000,
  /** One second to thirty days. */
  shortestIntervalMs: 1_000,
  longestIntervalMs: 2_592_000_000,
  followups: 100,
} as const;

/** For how long a reply to an ended conversation still belongs to it. */
export const LATE_REPLY_WITHIN_MS = 7 * 86_400_000;

/** Three reminders, a day apart: polite to somebody who did not ask to be written to. */
export const HEARTBEAT_DEFAULTS = { interval_ms: 86_400_000, max_followups: 3 } as const;
