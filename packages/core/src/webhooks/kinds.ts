// What a webhook may be told, by its kind. The names are part of the API: never rename one.

export const WEBHOOK_EVENTS = [
  'message.received',
  'message.sent',
  'conversation.state',
  'approval.requested',
  'approval.answered',
  'link.state',
  'health',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** What a test sends; nobody subscribes to it. */
export const PING = 'ping';
export type DeliveryType = WebhookEvent | typeof PING;
export const DELIVERY_TYPES: readonly [DeliveryType, ...DeliveryType[]] = [PING, ...WEBHOOK_EVENTS];
