// The types of webhook events. Kept apart from their bodies, so that the command lists them without loading the
// validation. The names are part of the API: never rename one.

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

/** The event of a test delivery. A webhook cannot subscribe to it. */
export const PING_EVENT = 'ping';
export type WebhookDeliveryType = WebhookEventType | typeof PING_EVENT;
export const WEBHOOK_DELIVERY_TYPES: readonly [WebhookDeliveryType, ...WebhookDeliveryType[]] = [
  PING_EVENT,
  ...WEBHOOK_EVENT_TYPES,
];
