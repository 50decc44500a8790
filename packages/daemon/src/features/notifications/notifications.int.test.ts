// Notifications against a push service that verifies and decrypts as browsers do, and against ntfy and webhook
// receivers: what they contain, that each arrives once, also across a restart, and that ended subscriptions go.
import type { AddPushDevice } from '@relay/contract/api/notifications';
import { type DeviceId, HOME_OWNER } from '@relay/contract/ids';
import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { type Subscription, startPushService } from '@relay/testing/push-service';
import { removeFolder } from '@relay/testing/remove-folder';
import { verifies } from '@relay/testing/verifies';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createSignInStore } from '../../platform/db/sign-in.ts';
import { openReceiver } from '../webhooks/testing/receiver.ts';
import { openNotificationFixture } from './testing/fixture.ts';

const harness = await freshDaemonHarness();
const { sql, account, approvals, conversations } = harness;
const push = await startPushService();
const receiver = await openReceiver();
const fixture = await openNotificationFixture(harness, [push.place, receiver.place]);
let { service, start } = fixture.open();
let stop = await start();
/** Stopped, and started again like the next daemon of the home. */
async function restart(): Promise<void> {
  await stop();
  ({ service, start } = fixture.open());
  stop = await start();
}
afterAll(async () => {
  await stop();
  push.close();
  receiver.close();
  await removeFolder(fixture.home);
});
const { asks, quiet, pass, deliveries, settings } = fixture;

const SESSION = 'session-hash';
const signIn = createSignInStore(conversations.db);
await signIn.addSession(SESSION, new Date(Date.now() + 7 * 86_400_000), HOME_OWNER);

beforeEach(async () => {
  await quiet();
  await sql('DELETE FROM push_devices');
  await sql('DELETE FROM owner_notifications');
  await sql("UPDATE approvals SET state = 'expired', decided_at = now() WHERE state = 'pending'");
  await settings({});
  await quiet();
  receiver.received.length = 0;
});

const deviceOf = ({ json }: Subscription, name = 'Phone'): AddPushDevice => ({
  ...json,
  name,
  locale: 'de',
  renew: false,
});
/** A signed-in browser with notifications. */
async function phone(name = 'Phone', session: string | null = SESSION): Promise<Subscription> {
  const subscription = push.subscribe();
  await service.addDevice(deviceOf(subscription, name), session);
  return subscription;
}
const shownBy = (subscription: Subscription) =>
  subscription.messages.map(({ payload: { action, tag } }) => `${action} ${tag}`);

test('a waiting approval reaches each device once, signed, encrypted and without its text', async () => {
  verifies('NOTIFY-PUSH-SIGNED', 'NOTIFY-NO-TEXT');
  const devices = [await phone('Phone'), await phone('Laptop')];
  const id = await asks('The code is 4711.');
  await quiet();
  for (const { messages } of devices) {
    expect(messages).toHaveLength(1);
    const [message] = messages;
    expect(message?.payload).toMatchObject({
      action: 'show',
      kind: 'approval',
      tag: `approval:${id}`,
      path: `/approvals/${id}`,
      waiting: 1,
      locale: 'de',
      detail: null,
    });
    expect(JSON.stringify(message?.payload)).not.toMatch(/4711|Mom|4915100/);
    expect(message?.signedBy).toBe((await service.overview(null)).public_key);
    expect(message?.headers).toMatchObject({ urgency: 'high', ttl: '86400' });
  }
  expect(push.refused).toEqual([]);
});

test('the private key is sealed, and a home that cannot open it makes new keys and forgets devices', async () => {
  await phone();
  const before = (await service.overview(null)).public_key;
  await sql("UPDATE push_keys SET private_key = 'sealed elsewhere'");
  const { public_key, devices } = await service.overview(null);
  expect(public_key).not.toBe(before);
  expect(devices).toEqual([]);
});

test('with text allowed, a short message carries what approves it, and a long or hidden one does not', async () => {
  verifies('NOTIFY-APPROVE-WHOLE');
  await settings({ show_text: true });
  const { messages } = await phone();
  const id = await asks('See you on Sunday.');
  await quiet();
  const [approval] = await approvals.list('pending');
  expect(messages.at(-1)?.payload.detail).toEqual({
    who: 'Mom (+4915100099999)',
    text: 'See you on Sunday.',
    answer: { approval: id, shown: approval?.shown },
  });
  for (const text of ['word '.repeat(60), 'one\ntwo\nthree\nfour', 'see \u202e you']) {
    await asks(text);
    await quiet();
    expect(messages.at(-1)?.payload.detail).toMatchObject({ answer: null });
  }
});

test('a device whose session expired is notified without text, and one that signed out is not notified', async () => {
  verifies('NOTIFY-SIGNED-OUT');
  await settings({ show_text: true });
  const expired = await phone('Expired', 'a-session-that-has-expired');
  const out = await phone('Signed out', 'another');
  await signIn.signOut('another');
  await asks('See you on Monday.');
  await quiet();
  expect(expired.messages.map(({ payload }) => payload.detail)).toEqual([null]);
  expect(out.messages).toEqual([]);
});

test('a paired phone is notified with text between its sessions, until it signs out or is removed', async () => {
  verifies('NOTIFY-SIGNED-OUT', 'REMOTE-DEVICES');
  await settings({ show_text: true });
  const pair = async (name: string) => {
    const [row] = await sql<{ id: DeviceId }>(
      `INSERT INTO devices (account_id, name, host, credential_id, public_key, counter, synced)
       VALUES ($1, $2, 'relay.example.org', $3, 'key', 0, false) RETURNING id`,
      [account, name, Buffer.from(name)],
    );
    if (row === undefined) throw new Error('no device');
    await signIn.addSession(
      `session of ${name}`,
      new Date(Date.now() + 1_000_000),
      HOME_OWNER,
      row.id,
    );
    return { id: row.id, subscription: await phone(name, `session of ${name}`) };
  };
  const [kept, out, removed] = [await pair('Kept'), await pair('Out'), await pair('Removed')];
  const overview = await service.overview('session of Kept');
  expect(
    overview.devices.map(({ name, current, signed_in }) => [name, current, signed_in]),
  ).toEqual([
    ['Kept', true, true],
    ['Out', false, true],
    ['Removed', false, true],
  ]);
  // Using the passkey again replaces the session; the notifications stay.
  await signIn.endSession('session of Kept');
  await signIn.signOut('session of Out');
  await sql('DELETE FROM devices WHERE id = $1', [removed.id]);
  await asks('See you on Tuesday.');
  await quiet();
  const details = ({ subscription: { messages } }: typeof kept) =>
    messages.map(({ payload }) => payload.detail?.text);
  expect([kept, out, removed].map(details)).toEqual([['See you on Tuesday.'], [], []]);
});

test('a renewal moves a known device to the new session, and adds none', async () => {
  const known = await phone('Phone', 'old');
  await service.addDevice({ ...deviceOf(known), renew: true }, SESSION);
  expect((await service.overview(SESSION)).devices).toMatchObject([
    { name: 'Phone', current: true, signed_in: true },
  ]);
  const unknown = { ...deviceOf(push.subscribe()), renew: true };
  await expect(service.addDevice(unknown, SESSION)).rejects.toThrow('There is no device');
});

test('at most ten devices are kept', async () => {
  for (let n = 0; n < 10; n += 1) await phone(`Device ${n}`);
  await expect(phone('One more')).rejects.toThrow('already 10 devices');
});

test('an answered approval closes its notification, and an expired one is not shown', async () => {
  verifies('NOTIFY-CLOSES');
  const device = await phone();
  const first = await asks('First');
  await quiet();
  await approvals.reject(first, null);
  await quiet();
  expect(shownBy(device)).toEqual([`show approval:${first}`, `close approval:${first}`]);
  expect(device.messages[0]?.headers.topic).toBe(device.messages[1]?.headers.topic);

  // The push service is away while the approval waits and expires.
  device.answers.push(503);
  const second = await asks('Second');
  await quiet();
  await sql("UPDATE approvals SET expires_at = now() - interval '1 minute' WHERE id = $1", [
    second,
  ]);
  await pass(3_600_000);
  await quiet();
  expect(device.messages).toHaveLength(2);
  expect((await deliveries()).at(-1)).toMatchObject({ action: 'show', state: 'dropped' });
});

test('the approval that replaces an edited one is not announced to its editor', async () => {
  const device = await phone();
  const id = await asks('See you on Tuesday.');
  await quiet();
  await approvals.edit(id, 'See you on Wednesday.');
  await quiet();
  expect(shownBy(device)).toEqual([`show approval:${id}`, `close approval:${id}`]);
});

test('a push service that is away gets the notification once it is back, and 410 removes the device', async () => {
  verifies('NOTIFY-DURABLE');
  const device = await phone();
  device.answers.push(503, 429);
  const id = await asks('Again');
  await quiet();
  await pass(10_000);
  await quiet();
  expect(device.messages).toEqual([]);
  expect((await service.overview(null)).devices[0]?.failing_since).not.toBeNull();
  await pass(60_000);
  await quiet();
  expect(shownBy(device)).toEqual([`show approval:${id}`]);
  expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 3, failure: null }]);
  for (const status of [404, 410]) {
    const gone = await phone('Old phone');
    gone.answers.push(status);
    await asks(`Gone ${status}`);
    await quiet();
    expect((await service.overview(null)).devices.map(({ name }) => name)).toEqual(['Phone']);
  }
});

test('what waited while Relay was stopped is notified after its start, once', async () => {
  verifies('NOTIFY-DURABLE');
  const device = await phone();
  await stop();
  const id = await asks('While stopped');
  await restart();
  await quiet();
  await restart();
  await quiet();
  expect(shownBy(device)).toEqual([`show approval:${id}`]);
});

test('a job that runs twice is delivered once', async () => {
  const device = await phone();
  await asks('Twice');
  await quiet();
  const [row] = await sql<{ id: string }>('SELECT id FROM notification_deliveries');
  await conversations.jobs.enqueue(conversations.db as never, 'notification', [
    { key: 'again', data: { account, subject: row?.id as never } },
  ]);
  conversations.jobs.wake('notification');
  await quiet();
  expect(device.messages).toHaveLength(1);
});

test('ntfy and the webhook get a link, a token, and text only if it is allowed', async () => {
  verifies('NOTIFY-CHANNELS', 'NOTIFY-NO-TEXT');
  await service.setChannel('ntfy', { url: `http://${receiver.place}/sub/my-topic`, token: 'tk_1' });
  await service.setChannel('webhook', { url: `http://${receiver.place}/hook` });
  const { ntfy_token } = JSON.parse(await settingsFile()).notifications;
  expect(ntfy_token).toMatch(/^sealed:/);
  await quiet();
  const id = await asks('See you on Thursday.');
  await quiet();
  const link = `http://127.0.0.1:3214/approvals/${id}`;
  const bodies = () => receiver.received.map(({ body }) => JSON.parse(body));
  expect(bodies()).toEqual(
    expect.arrayContaining([
      {
        topic: 'my-topic',
        title: 'Relay: approval needed',
        message: 'A message waits for your approval.',
        click: link,
        priority: 4,
      },
      expect.objectContaining({
        kind: 'approval',
        link,
        text: 'A message waits for your approval.',
      }),
    ]),
  );
  const tokens = receiver.received.map(({ headers }) => headers.authorization);
  expect(tokens.toSorted()).toEqual(['Bearer tk_1', undefined]);

  receiver.received.length = 0;
  const { notifications } = JSON.parse(await settingsFile());
  await settings({ ...notifications, show_text: true, console_url: 'https://relay.example.org' });
  const second = await asks('See you on Friday.');
  await quiet();
  expect(bodies()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        link: `https://relay.example.org/approvals/${second}`,
        text: 'A message to Mom (+4915100099999):\nSee you on Friday.',
      }),
    ]),
  );
});

test('an address inside the network is refused, and a new address does not get the old token', async () => {
  verifies('NOTIFY-PRIVATE-ADDRESS');
  await service.setChannel('ntfy', { url: 'http://127.0.0.9:9/topic', token: 'tk_2' });
  expect(await service.test({ channel: 'ntfy' })).toMatchObject({
    results: [{ ok: false, sentence: expect.stringContaining('notifications.allow') }],
  });
  expect(await service.setChannel('ntfy', { url: `http://${receiver.place}/topic` })).toEqual({
    url: `http://${receiver.place}/topic`,
    has_token: false,
  });
  const inside = push.subscribe();
  const endpoint = inside.json.endpoint.replace(/:\d+/, ':9');
  await service.addDevice({ ...deviceOf(inside), endpoint }, SESSION);
  expect((await service.test({})).results).toMatchObject([
    { channel: 'push', ok: false },
    { channel: 'ntfy', ok: true },
  ]);
});

test('a lost link and a conversation that needs the owner are notified, and closed when that is over', async () => {
  const device = await phone();
  const { happens } = fixture;
  await happens('link', null, { state: 'link_expired', from: 'awaiting_scan' });
  await happens('link', null, { state: 'logged_out', from: 'connected' });
  await quiet();
  await happens('link', null, { state: 'connected', from: 'connecting' });
  await quiet();
  expect(shownBy(device)).toEqual(['show link', 'close link']);
  expect(device.messages[0]?.payload).toMatchObject({ code: 'logged_out', path: '/tools' });

  harness.agent(() => {
    throw new Error('nothing works');
  });
  const conversation = await harness.create();
  await harness.reaches(conversation, 'NEEDS_HUMAN_INTERVENTION');
  conversations.events.hint();
  await quiet();
  expect(shownBy(device).slice(2)).toEqual([`show conversation:${conversation}`]);
});

test('a used-up budget is notified once a day, and taken back when there is budget again', async () => {
  await sql(
    `INSERT INTO spending (account_id, day, tokens, micros)
    SELECT $1, day, 1000000000, 0 FROM generate_series(now()::date - 1, now()::date + 1, '1 day') day`,
    [account],
  );
  // A new place to notify makes Relay look at once.
  const device = await phone();
  await expect.poll(() => shownBy(device)).toEqual(['show model:budget']);
  await phone('Laptop');
  await quiet();
  await sql('DELETE FROM spending');
  const third = await phone('Tablet');
  await expect.poll(() => shownBy(device)).toEqual(['show model:budget', 'close model:budget']);
  expect(third.messages).toEqual([]);
});

test('a test notification is sent to every place at once and reports the results', async () => {
  const device = await phone();
  await service.setChannel('webhook', { url: `http://${receiver.place}/hook` });
  expect(await service.test({})).toEqual({
    results: [
      { channel: 'push', device: 'Phone', ok: true, sentence: null },
      { channel: 'webhook', device: null, ok: true, sentence: null },
    ],
  });
  expect(shownBy(device)).toEqual(['show test:test']);
});

async function settingsFile(): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return readFile(`${fixture.home}/relay.config.json`, 'utf8');
}
