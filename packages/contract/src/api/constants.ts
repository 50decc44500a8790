// Limits and names that the API shares with the command and the console. First: the limits of a conversation, which the
// API enforces and the command checks before it asks.

export const CONVERSATION_LIMITS = {
  objective: 4_000,
  contact: 64,
  todos: 50,
  todo: 500,
  files: 10,
  facts: 50,
  fact: 500,
  message: 5_000,
  /** One second to thirty days. */
  shortestIntervalMs: 1_000,
  longestIntervalMs: 2_592_000_000,
  followups: 100,
} as const;

/** How long a reply to an ended conversation still belongs to it. */
export const LATE_REPLY_WITHIN_MS = 7 * 86_400_000;

/** Three follow-ups, a day apart: polite to somebody who did not ask to be written to. */
export const HEARTBEAT_DEFAULTS = { interval_ms: 86_400_000, max_followups: 3 } as const;

// The maximum length of a question to the assistant; the API enforces it, and the console checks it first.

export const MAX_ASSISTANT_QUESTION_LENGTH = 8_000;

// The maximum length of a search query; the API enforces it, and the console checks it first.

export const MAX_SEARCH_QUERY_LENGTH = 300;

// The periods of activity and the spenders of tokens. Kept small because the first page load contains it.

/** One day by the hour, a week and a month by the day. */
export const ACTIVITY_HOURS = [24, 168, 720] as const;
export type ActivityHours = (typeof ACTIVITY_HOURS)[number];

export const TOKEN_SPENDERS = [
  'conversations',
  'auto_reply',
  'assistant',
  'groups',
  'other',
] as const;
export type TokenSpender = (typeof TOKEN_SPENDERS)[number];

// What happens to runs that were missed. Separate from the rule's schema so that the console can list them without
// loading the validation.
export const CATCH_UPS = ['skip', 'once', 'all'] as const;
export type CatchUp = (typeof CATCH_UPS)[number];

// The labels that evaluations count by.

/** The label of a message of the trigger set; `no_mention` has neither the assistant's name nor its address. */
export const TRIGGER_CASE_LABELS = [
  'direct_request',
  'mention_only',
  'false_positive',
  'no_mention',
] as const;
export type TriggerCaseLabel = (typeof TRIGGER_CASE_LABELS)[number];

/** Why something must not be in a digest. */
export const LEAK_REASONS = ['sensitive', 'revoked', 'stale', 'overread'] as const;
