import type { Webhook, WebhookDelivery } from '@relay/contract/api/webhooks';
import { expect, test } from 'vitest';
import { formatDeliveries, formatWebhooks } from './webhooks.ts';

const NOW = new Date('2026-11-15T12:00:00');
const plain = (text: string) => text;
const colours = { bold: plain, dim: plain, yellow: plain };
const ago = (minutes: number) => new Date(+NOW - minutes * 60_000).toISOString();

const webhook: Webhook = {
  id: '5f0d7c43-1f0f-4f0e-9c4e-2f1f0b8a7c11',
  name: 'n8n',
  url: 'https://n8n.example.org/webhook/relay',
  events: ['message.received', 'health'],
  chats: null,
  directions: null,
  states: null,
  include_text: false,
  enabled: true,
  note: null,
  created_at: ago(600),
  rotated_at: null,
  last_delivered_at: ago(5),
  failing_since: null,
  pending: 0,
  dead: 0,
};

const listed = (changed: Partial<Webhook>) =>
  formatWebhooks([{ ...webhook, ...changed }], NOW, colours);

test('shows a healthy webhook in three lines', () => {
  expect(listed({})).toEqual([
    'n8n  https://n8n.example.org/webhook/relay',
    '  message.received, health; without texts and names',
    '  Last delivery 5 min ago.',
  ]);
});

test('shows the filters of a webhook, and no name can control the terminal', () => {
  const chats = [{ id: webhook.id, kind: 'person' as const, name: 'Ana\u001b[2J' }];
  expect(listed({ chats, directions: ['in'], include_text: true })[1]).toBe(
    '  message.received, health; only Ana⟨U+001B⟩[2J; only in; with texts and names',
  );
});

test('shows a failing webhook and what to do', () => {
  expect(listed({ failing_since: ago(180), pending: 12, dead: 1 }).slice(2)).toEqual([
    '  Last delivery 5 min ago; 12 queued.',
    '  Deliveries have been failing for 3 h.',
    '  1 failed delivery. Send again with `relay webhook replay n8n --dead`.',
  ]);
  expect(listed({ enabled: false, note: 'The receiver answered 410.' }).at(-1)).toBe(
    '  The receiver answered 410. Turn it on with `relay webhook on n8n`.',
  );
});

const delivery: WebhookDelivery = {
  id: '0d9f2a54-58d3-4a55-8d9c-3f1a6f8f7a10',
  type: 'message.received',
  state: 'delivered',
  attempts: 1,
  next_at: null,
  last_status: 204,
  last_error: null,
  event_at: ago(60),
  settled_at: ago(60),
};

test.each<[Partial<WebhookDelivery>, string]>([
  [{}, 'delivered'],
  [{ attempts: 3 }, 'delivered after 3 attempts'],
  [{ state: 'pending', attempts: 0 }, 'queued'],
  [
    {
      state: 'pending',
      attempts: 2,
      next_at: ago(-4),
      last_error: 'The receiver could not be reached.',
    },
    'next attempt in 4 min after 2 attempts: The receiver could not be reached.',
  ],
  [
    { state: 'dead', attempts: 8, last_error: 'The receiver answered with 500.' },
    'failed after 8 attempts: The receiver answered with 500.',
  ],
  [
    { state: 'dropped', last_error: 'The data of this event was erased, so nothing was sent.' },
    'not sent: The data of this event was erased, so nothing was sent.',
  ],
])('shows a delivery %o as: %s', (changed, words) => {
  expect(formatDeliveries([{ ...delivery, ...changed }], NOW, colours)).toEqual([
    `0d9f2a54  11:00        message.received    ${words}`,
  ]);
});
