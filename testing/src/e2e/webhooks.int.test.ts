// Webhooks with the shipped command and a running daemon: configured, delivered, killed in between, replayed, and
// silent about forgotten people.
import type { Deliveries, Webhook } from '@relay/contract/api/webhooks';
import type { WebhookBody } from '@relay/contract/webhooks/events';
import {
  answering,
  openReceiver,
  verified,
} from '@relay/daemon/features/webhooks/testing/receiver';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from './gateway.ts';
import { BEN, ME, startLinkedRelay } from './linked.ts';

test('a webhook receives events across kills, and nothing about people whom the owner forgot', {
  timeout: 300_000,
}, async () => {
  const receiver = await openReceiver('127.0.0.1');
  const stranger = await openReceiver('127.0.0.1');
  for (const one of [receiver, stranger]) onTestFinished(() => one.close());
  const settings = { pacing: { enabled: false }, webhooks: { allow: [receiver.place] } };
  const linked = await startLinkedRelay({ database: 'beside', settings });
  const { phones, relay } = linked.demo;
  const relayed = async (...args: string[]) => {
    const { exit, out, err } = await linked.command('webhook', ...args);
    expect({ exit, err }).toMatchObject({ exit: 0 });
    return out;
  };
  const until = <T>(what: string, look: (bodies: WebhookBody[]) => T | undefined) =>
    eventually(what, async () => look(receiver.bodies()));
  const texts = (bodies: readonly WebhookBody[]) =>
    bodies.flatMap(({ data }) => ('text' in data && data.text !== undefined ? [data.text] : []));

  const made = JSON.parse(
    await relayed('add', receiver.url, '--name', 'n8n', '--include-text', '--json'),
  );
  expect(await relayed('test', 'n8n')).toContain('Test event delivered');
  await linked.talk('hello');
  await until('both ways', (bodies) => {
    const states = bodies.flatMap(({ data }) => ('state' in data ? [data.state] : []));
    return (texts(bodies).includes('hello from Ben') && states.includes('delivered')) || undefined;
  });
  for (const one of receiver.received) expect(verified(made.secret, one)).toBeDefined();

  // Received while the receiver fails, killed before delivery, delivered by the next daemon.
  receiver.answer = answering(503);
  await phones.send(BEN, ME, 'while you were failing');
  const failed = await until('a first attempt', () =>
    receiver.received.find(({ body }) => body.includes('while you were failing')),
  );
  await linked.demo.kill();
  receiver.answer = answering(204);
  await linked.demo.restart();
  await linked.reaches('connected');
  await until(
    'the link',
    (bodies) =>
      bodies.some(
        ({ type, data }) => type === 'health' && 'what' in data && data.what === 'whatsapp',
      ) || undefined,
  );
  const id = failed.headers['webhook-id'] ?? '';
  const path = '/api/webhooks/n8n/deliveries?limit=200';
  await eventually('its arrival', async () => {
    const { deliveries } = await relay.ok<Deliveries>('GET', path);
    return deliveries.some((one) => one.id === id && one.state === 'delivered') || undefined;
  });
  expect(await relayed('replay', 'n8n', id.slice(0, 8))).toContain('is queued again');
  await until('the same once more', () => {
    const same = receiver.received.filter(({ headers }) => headers['webhook-id'] === id);
    return same.length >= 3 || undefined;
  });

  // The receiver is down while somebody writes, who is forgotten before it is up again.
  receiver.answer = answering(500);
  await phones.send(BEN, ME, 'the secret of the canary');
  await until(
    'an attempt',
    (bodies) => texts(bodies).includes('the secret of the canary') || undefined,
  );
  const { exit } = await linked.command('forget', `+${BEN}`, '--yes');
  expect(exit).toBe(0);
  const before = receiver.received.length;
  receiver.answer = answering(204);
  await relayed('test', 'n8n');
  await relayed('replay', 'n8n', '--dead');
  await eventually('nothing on its way', async () => {
    const { webhooks } = await relay.ok<{ webhooks: Webhook[] }>('GET', '/api/webhooks');
    return webhooks[0]?.pending === 0 || undefined;
  });
  const after = receiver.received.slice(before).map(({ body }) => body);
  expect(after.join('\n')).not.toContain('canary');

  // An internal address that the owner did not allow.
  const refused = await linked.command('webhook', 'add', stranger.url, '--name', 'inside');
  expect(refused).toMatchObject({
    exit: 2,
    err: expect.stringContaining('`relay config set webhooks.allow '),
  });
  await relayed('add', stranger.url, '--name', 'inside', '--no-verify');
  const tried = await linked.command('webhook', 'test', 'inside');
  expect(tried).toMatchObject({ exit: 1, out: expect.stringContaining('webhooks.allow') });
  expect(stranger.connections()).toBe(0);
  expect(await relayed('list')).toMatch(/^n8n {2}http/m);
  expect(await relayed('remove', 'n8n')).toContain('Removed the webhook n8n.');
  expect(await relay.ok('GET', '/api/webhooks')).toMatchObject({ webhooks: [{ name: 'inside' }] });
});
