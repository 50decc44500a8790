import { settingsSchema } from '@relay/contract/settings';
import { expect, test } from 'vitest';
import { allowedWebhookHosts } from './feature.ts';

test('writes allowed hosts in the form that the egress guard compares', () => {
  const allow = ['127.0.0.1:5678', '[::1]:5678', '[FD00::1]:80', 'localhost:9000'];
  expect(allowedWebhookHosts(settingsSchema.parse({ webhooks: { allow } }).webhooks.allow)).toEqual(
    ['127.0.0.1:5678', '::1:5678', 'fd00::1:80', '127.0.0.1:9000', '::1:9000'],
  );
});

test.each(['n8n.lan:5678', '127.0.0.1', '*:80', '127.0.0.1:*', 'http://127.0.0.1:80', ''])(
  'refuses %s as an allowed host',
  (place) => {
    expect(settingsSchema.safeParse({ webhooks: { allow: [place] } }).success).toBe(false);
  },
);

test('allows no address inside the network by default', () => {
  expect(settingsSchema.parse({}).webhooks).toEqual({ allow: [] });
});
