// Fixtures for webhooks.
import type { Webhook, WebhookDelivery, WebhookService } from '@relay/contract/api/webhooks';
import type { Recorded } from './recorded.ts';

const AT = '2026-11-15T02:00:00.000Z';
export const WEBHOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

export const webhook: Webhook = {
  id: '5f0d7c43-1f0f-4f0e-9c4e-2f1f0b8a7c11',
  name: 'n8n',
  url: 'https://n8n.example.org/webhook/relay',
  events: ['message.received'],
  chats: null,
  directions: null,
  states: null,
  include_text: false,
  enabled: true,
  note: null,
  created_at: AT,
  rotated_at: null,
  last_delivered_at: null,
  failing_since: null,
  pending: 0,
  dead: 0,
};

export const delivery: WebhookDelivery = {
  id: '0d9f2a54-58d3-4a55-8d9c-3f1a6f8f7a10',
  type: 'message.received',
  state: 'dead',
  attempts: 8,
  next_at: null,
  last_status: 500,
  last_error: 'The receiver answered with 500.',
  event_at: AT,
  settled_at: AT,
};

export const webhookStandIns = (recorded: Recorded): WebhookService => ({
  list: recorded('listWebhooks', async () => [webhook]),
  create: recorded('createWebhook', async () => ({ ...webhook, secret: WEBHOOK_SECRET })),
  change: recorded('changeWebhook', async () => webhook),
  rotate: recorded('rotateWebhook', async () => ({ ...webhook, secret: WEBHOOK_SECRET })),
  remove: recorded('removeWebhook', async () => webhook),
  test: recorded('testWebhook', async () => delivery),
  deliveries: recorded('listDeliveries', async () => ({ deliveries: [delivery], cursor: null })),
  replay: recorded('replay', async () => delivery),
  replayDead: recorded('replayDead', async () => 1),
});
