// Tests receivers that are unreachable, slow, wrong or malicious. Every delivery arrives once the receiver works, or is
// dead and can be replayed; and no address inside the network is ever reached.

import { RETRY } from '@relay/core/retry';
import { freshDaemonHarness, openDaemonHarness } from '@relay/testing/daemon-harness';
import { eventually, freshStore, times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openWebhookFixture } from './testing/fixture.ts';
import { type Answer, answering, openReceiver } from './testing/receiver.ts';
import { describeWebhookTrouble } from './webhooks.ts';

const harness = await freshDaemonHarness();
const { sql, account } = harness;
const trouble = () => describeWebhookTrouble(harness.conversations.db, account);
const receiver = await openReceiver();
/** Listens on all addresses of this machine, for everything that must never be reached. */
const sentinel = await openReceiver('0.0.0.0');
const other = await openReceiver('127.0.0.3');
afterAll(() => {
  for (const one of [receiver, sentinel, other]) one.close();
});
const away = { host: '127.0.0.4', port: 0 };
const spot = await openReceiver(away.host);
away.port = spot.port;
spot.close();

const resolve = async (name: string) =>
  (NAMES[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
const NAMES: Record<string, string[]> = {
  'inside.example': ['127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'both.example': ['127.0.0.2', '127.0.0.1'],
  'six.example': ['::1'],
};
const fixture = openWebhookFixture(harness, {
  allowedAddresses: [receiver.place, other.place, spot.place],
  resolve,
  timeoutMs: 400,
});
afterAll(await fixture.webhooks.start());
const { add, says, quiet, pass, service } = fixture;

beforeEach(async () => {
  await quiet();
  await sql('DELETE FROM webhooks');
  receiver.received.length = 0;
  receiver.answer = answering(204);
});

const ANA = '+49151000111';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const hangs: Answer = () => {};
const idsOf = (received: readonly { headers: Readonly<Record<string, string>> }[]) =>
  received.map(({ headers }) => headers['webhook-id']);

test('delivers everything once, as soon as a receiver is back after an hour', async () => {
  await add({ url: spot.url });
  const said: string[] = [];
  for (let minutes = 0; minutes < 60; minutes += 5) {
    said.push((await says(ANA, `at minute ${minutes}`)).id);
    await quiet();
    await pass(5 * MINUTE);
    await quiet();
  }
  expect((await service.list())[0]).toMatchObject({ pending: said.length, dead: 0, enabled: true });
  const back = await openReceiver(away.host, away.port);
  onTestFinished(() => back.close());
  // The first successful delivery brings all others forward: no more time has to pass.
  said.push((await says(ANA, 'and now')).id);
  await eventually(async () => {
    await quiet();
    return back.received.length >= said.length;
  });
  // The last answer is stored after the receiver has the request.
  await quiet();
  const told = back.bodies().map(({ data }) => 'message_id' in data && data.message_id);
  expect([...told].sort()).toEqual([...said].sort());
  expect(new Set(idsOf(back.received)).size).toBe(said.length);
  expect((await service.list())[0]).toMatchObject({ pending: 0, dead: 0, failing_since: null });
});

test('retries after 500 according to the table, then is dead, and is delivered when replayed', async () => {
  receiver.answer = answering(500);
  await add({ url: receiver.url });
  await says(ANA, 'hello');
  await quiet();
  for (const [n, wait] of RETRY.webhook.stepsMs.entries()) {
    expect(receiver.received).toHaveLength(n + 1);
    const [{ next_at } = { next_at: new Date(0) }] = await sql<{ next_at: Date }>(
      'SELECT next_at FROM webhook_deliveries',
    );
    const left = +next_at - +fixture.now();
    expect(left).toBeLessThanOrEqual(wait);
    expect(left).toBeGreaterThan(wait * (1 - RETRY.webhook.spread) - 4_000);
    await pass(wait);
    await quiet();
  }
  expect(await fixture.deliveries()).toEqual([{ state: 'dead', attempts: 8, failure: 'status' }]);
  const { deliveries } = await service.deliveries('127.0.0.2', { state: 'dead', limit: 10 });
  expect(deliveries).toMatchObject([
    { state: 'dead', attempts: 8, last_status: 500, last_error: 'The receiver answered with 500.' },
  ]);
  await pass(24 * HOUR);
  await quiet();
  expect(receiver.received).toHaveLength(8);

  receiver.answer = answering(200);
  expect(await service.replayDead('127.0.0.2')).toBe(1);
  await quiet();
  expect(await fixture.deliveries()).toEqual([{ state: 'delivered', attempts: 1, failure: null }]);
  expect(new Set(idsOf(receiver.received)).size).toBe(1);
});

test.each<[string, Answer, string]>([
  ['never answers', hangs, 'too_slow'],
  [
    'sends its answer a byte at a time for ever, but its status at once',
    (_, response) => {
      response.writeHead(503);
      const drip = setInterval(() => response.write('x'), 20);
      response.once('close', () => clearInterval(drip));
    },
    'status',
  ],
  ['cuts the line', (request) => void request.socket.destroy(), 'unreachable'],
  [
    'sends on to a place inside',
    (_, response) => {
      const location = `http://127.0.0.1:${sentinel.port}/`;
      response.writeHead(307, { location }).end();
    },
    'too_many_redirects',
  ],
  [
    'sends on to itself',
    (_, response) => void response.writeHead(302, { location: '/other' }).end(),
    'too_many_redirects',
  ],
])('retries when the receiver %s', async (_, answer, failure) => {
  receiver.answer = answer;
  await add({ url: receiver.url });
  await says(ANA, 'hello');
  await quiet();
  expect(await fixture.deliveries()).toEqual([{ state: 'pending', attempts: 1, failure }]);
  receiver.answer = answering(204);
  await pass(RETRY.webhook.stepsMs[0]);
  await quiet();
  expect(await fixture.deliveries()).toMatchObject([{ state: 'delivered', attempts: 2 }]);
  expect(sentinel.connections()).toBe(0);
});

test.each<[string, () => string, number]>([
  ['seconds', () => '3600', HOUR],
  ['an HTTP date', () => new Date(+fixture.now() + HOUR).toUTCString(), HOUR],
  ['more than a day, which counts as a day', () => '999999', 24 * HOUR],
])('waits as long as Retry-After asks: %s', async (_, header, wait) => {
  receiver.answer = (_request, response) =>
    void response.writeHead(429, { 'retry-after': header() }).end();
  await add({ url: receiver.url });
  await says(ANA, 'hello');
  await quiet();
  const [{ next_at } = { next_at: new Date(0) }] = await sql<{ next_at: Date }>(
    'SELECT next_at FROM webhook_deliveries',
  );
  const left = +next_at - +fixture.now();
  expect(left).toBeLessThanOrEqual(wait);
  expect(left).toBeGreaterThan(wait - MINUTE);
  receiver.answer = answering(204);
  await pass(wait - 2 * MINUTE);
  await quiet();
  expect(receiver.received).toHaveLength(1);
  await pass(2 * MINUTE);
  await quiet();
  expect(await fixture.deliveries()).toMatchObject([{ state: 'delivered', attempts: 2 }]);
});

test.each(['-5', '0', 'soon', '2099-01-01', 'Wed, 21 Oct 2015 07:28:00 GMT'])(
  'keeps its own schedule when Retry-After is %s',
  async (header) => {
    receiver.answer = (_, response) =>
      void response.writeHead(503, { 'retry-after': header }).end();
    await add({ url: receiver.url });
    await says(ANA, 'hello');
    await quiet();
    receiver.answer = answering(204);
    await pass(RETRY.webhook.stepsMs[0]);
    await quiet();
    expect(await fixture.deliveries()).toMatchObject([{ state: 'delivered' }]);
  },
);

test('refuses an address that can never be reached, and says how to allow it', async () => {
  verifies('SETUP-WEBHOOK');
  const inside = `http://127.0.0.1:${sentinel.port}/`;
  await expect(add({ url: inside })).rejects.toMatchObject({
    code: 'webhook_inside',
    action: expect.stringContaining(`,127.0.0.1:${sentinel.port}\`, restart`),
  });
  await expect(add({ url: 'https://hooks.invalid/' })).rejects.toMatchObject({
    code: 'webhook_host_unknown',
  });
  expect(await service.list()).toEqual([]);
  await add({ url: receiver.url, name: 'mine' });
  await expect(service.change('mine', { url: inside })).rejects.toMatchObject({
    code: 'webhook_inside',
  });
  await add({ url: 'https://hooks.invalid/', verify: false });
  expect(await service.list()).toHaveLength(2);
  expect(sentinel.connections()).toBe(0);
});

test('accepts a 2xx answer of any size and form', async () => {
  receiver.answer = (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    const pour = () => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
      if (!response.destroyed) response.once('drain', pour);
    };
    pour();
  };
  await add({ url: receiver.url });
  await says(ANA, 'hello');
  await quiet();
  expect(await fixture.deliveries()).toEqual([{ state: 'delivered', attempts: 1, failure: null }]);
});

const at = (host: string) => `http://${host}:${sentinel.port}/`;
test.each([
  ['this machine', at('127.0.0.1')],
  ['this machine as one number', at('2130706433')],
  ['this machine in hexadecimal', at('0x7f.1')],
  ['any address', at('0.0.0.0')],
  ['this machine in IPv6', at('[::1]')],
  ['IPv4 inside IPv6', at('[::ffff:127.0.0.1]')],
  ['IPv4 behind NAT64', at('[64:ff9b::7f00:1]')],
  ['a private network', at('10.0.0.1')],
  ['metadata of a cloud', 'http://169.254.169.254/latest/meta-data/'],
  ['a name that leads inside', at('inside.example')],
  ['a name that leads to metadata', at('metadata.example')],
  ['a name that leads outside and inside', at('both.example')],
  ['a name that leads inside in IPv6', at('six.example')],
])('never connects to %s', async (_, url) => {
  await expect(add({ url, name: 'inside' })).rejects.toMatchObject({ code: 'webhook_inside' });
  await add({ url, name: 'inside', verify: false });
  await says(ANA, 'hello');
  await quiet();
  expect(await fixture.deliveries()).toEqual([
    { state: 'pending', attempts: 1, failure: 'address_inside' },
  ]);
  expect(await service.test('inside')).toMatchObject({ state: 'dead', attempts: 1 });
  expect(sentinel.connections()).toBe(0);
});

test('switches the webhook off after 410, and says why', async () => {
  receiver.answer = answering(410);
  await add({ url: receiver.url });
  await says(ANA, 'hello');
  await quiet();
  expect(await fixture.deliveries()).toEqual([{ state: 'dead', attempts: 1, failure: 'gone' }]);
  const [webhook] = await service.list();
  expect(webhook).toMatchObject({ enabled: false, note: expect.stringContaining('gone') });
  expect(await trouble()).toBe(
    '127.0.0.2 turned off by Relay; 1 failed delivery. See `relay webhook list`.',
  );
  receiver.answer = answering(204);
  expect(await service.change('127.0.0.2', { enabled: true })).toMatchObject({ note: null });
  expect(await service.replayDead('127.0.0.2')).toBe(1);
  await quiet();
  expect(await fixture.deliveries()).toMatchObject([{ state: 'delivered' }]);
  expect(await trouble()).toBeNull();
});

test('switches the webhook off after three days of failures, and its deliveries can be replayed', async () => {
  receiver.answer = answering(502);
  await add({ url: receiver.url });
  await says(ANA, 'first');
  await quiet();
  await pass(71 * HOUR);
  await quiet();
  await says(ANA, 'later');
  await quiet();
  expect((await service.list())[0]).toMatchObject({ enabled: true });
  await pass(HOUR);
  await quiet();
  const [webhook] = await service.list();
  expect(webhook).toMatchObject({ enabled: false, note: expect.stringContaining('3 days') });
  // An event is readable once every older transaction on the server, even another test's, has ended.
  await eventually(async () =>
    (await harness.conversations.events.read(null, 10_000)).some(
      ({ kind, subject }) => kind === 'webhook' && subject === webhook?.id,
    ),
  );
  await pass(24 * HOUR);
  await quiet();
  expect(await fixture.deliveries('state, failure')).toEqual([
    { state: 'dead', failure: 'disabled' },
    { state: 'dead', failure: 'disabled' },
  ]);
});

test('does not let a slow receiver delay others', async () => {
  receiver.answer = hangs;
  await add({ url: receiver.url, name: 'slow' });
  await add({ url: other.url, name: 'quick' });
  const phones = times(24, (n) => `+4915100${String(n).padStart(4, '0')}`);
  for (const phone of phones) await says(phone, 'hello');
  // By then the slow one has had time for a few attempts of its own.
  await eventually(() => other.received.length === phones.length);
  expect(receiver.received.length).toBeLessThan(phones.length);
  receiver.answer = answering(204);
  await quiet();
});

test('does not send with a secret of another home until there is a new secret', async () => {
  await add({ url: receiver.url });
  await sql("UPDATE webhooks SET secret = convert_to('elsewhere', 'UTF8')");
  await says(ANA, 'hello');
  await quiet();
  expect(await fixture.deliveries()).toEqual([
    { state: 'pending', attempts: 1, failure: 'sealed' },
  ]);
  expect(receiver.received).toEqual([]);
  await service.rotate('127.0.0.2');
  await pass(RETRY.webhook.stepsMs[0]);
  await quiet();
  expect(await fixture.deliveries()).toMatchObject([{ state: 'delivered' }]);
});

test('delivers under one id after a kill at any moment', async () => {
  const store = await freshStore(onTestFinished);
  const [first, ...heirs] = [answering(204), hangs, answering(204)];
  const open = async () => {
    const one = await openDaemonHarness(store);
    return { one, its: openWebhookFixture(one, { allowedAddresses: [receiver.place] }) };
  };
  // Between the event and the follower: the log has not been read yet.
  const before = await open();
  await before.its.add({ url: receiver.url });
  const { id } = await before.its.says(ANA, 'hello');
  await before.one.close();
  // In the middle of a request: the receiver has it, but its answer does not come in time.
  receiver.answer = heirs[0] ?? hangs;
  const during = await open();
  const stopFollowing = await during.its.webhooks.start();
  await eventually(() => receiver.received.length === 1);
  await stopFollowing();
  await during.one.close();
  expect(await during.its.deliveries()).toEqual([{ state: 'pending', attempts: 0, failure: null }]);
  receiver.answer = first ?? answering(204);
  const after = await open();
  const stop = await after.its.webhooks.start();
  await eventually(async () => (await after.its.deliveries())[0]?.state === 'delivered');
  await after.its.quiet();
  await stop();
  await after.one.close();
  expect(receiver.bodies().map(({ data }) => 'message_id' in data && data.message_id)).toEqual([
    id,
    id,
  ]);
  expect(new Set(idsOf(receiver.received)).size).toBe(1);
  expect(await after.its.deliveries()).toHaveLength(1);
});
