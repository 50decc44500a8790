// How much may be handed in for a conversation. One place for the API, which refuses more, and for the
// command, which says so before it asks.

export const CONVERSATION_LIMITS = {
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

// How much the owner may ask at once; the API refuses what is longer, and the console says so before.

export const MAX_ASSISTANT_QUESTION_LENGTH = 8_000;

// How long a question to search may be; the API refuses what is longer, and the console says so before.

export const MAX_SEARCH_QUERY_LENGTH = 300;

// Over which times activity is counted, and who uses tokens. Pure, and small enough for a page's first load.

/** A day by the hour, a week and a month by the day. */
export const ACTIVITY_HOURS = [24, 168, 720] as const;
export type ActivityHours = (typeof ACTIVITY_HOURS)[number];

/** Who used the tokens. */
export const TOKEN_SPENDERS = [
  'conversations',
  'auto_reply',
  'assistant',
  'groups',
  'other',
] as const;
export type TokenSpender = (typeof TOKEN_SPENDERS)[number];

// What may become of occurrences that came while Relay could not act. Apart from the rule and its schema: the console
// lists these, and brings nothing along that checks.
export const CATCH_UPS = ['skip', 'once', 'all'] as const;
export type CatchUp = (typeof CATCH_UPS)[number];

// The words that evaluations count by.

/** What a message of the trigger set is; `no_mention` has neither the assistant's name nor its address. */
export const TRIGGER_CASE_LABELS = [
  'direct_request',
  'mention_only',
  'false_positive',
  'no_mention',
] as const;
export type TriggerCaseLabel = (typeof TRIGGER_CASE_LABELS)[number];

/** Why something must not stand in a digest. */
export const LEAK_REASONS = ['sensitive', 'revoked', 'stale', 'overread'] as const;

// What a webhook may be told, by its kind. The names are part of the API: never rename one.

export const WEBHOOK_EVENT_TYPES = [
  'message.received',
  'message.sent',
  'conversation.state',
  'approval.requested',
  'approval.answered',
  'link.state',
  'health',
] as const;
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

/** What a test sends; nobody subscribes to it. */
export const PING_EVENT = 'ping';
export type WebhookDeliveryType = WebhookEventType | typeof PING_EVENT;
export const WEBHOOK_DELIVERY_TYPES: readonly [WebhookDeliveryType, ...WebhookDeliveryType[]] = [
  PING_EVENT,
  ...WEBHOOK_EVENT_TYPES,
];
