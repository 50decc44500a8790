// The states of an outgoing message. The names are persisted and part of the API: never rename one.

export const OUTBOX_STATES = [
  'pending',
  'sent',
  'delivered',
  'read',
  'failed',
  /** Sent without an answer from WhatsApp: receipts tell whether it left. */
  'unknown',
] as const;
export type OutboxState = (typeof OUTBOX_STATES)[number];
