// The states of an outgoing message. The names are persisted and part of the API: never rename one.

export const OUTBOX_STATES = [
  'pending',
  'sent',
  'delivered',
  'read',
  'failed',
  /** Sent without an acknowledgement from WhatsApp: receipts show whether it was sent. */
  'unknown',
] as const;
export type OutboxState = (typeof OUTBOX_STATES)[number];
