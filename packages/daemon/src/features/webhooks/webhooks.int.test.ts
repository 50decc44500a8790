// Tests what is delivered to which webhook, and with how much text. deliver.int.test.ts tests what happens when a
// receiver is unreachable.
import { randomUUID } from 'node:crypto';
import type { ContactId } from '@relay/contract/ids';
import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { eventually, times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { sql as dbSql } from 'kysely';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { followNextEvents, HELD_BACK_MS } from '../../platform/db/event-follower.ts';
import { webhookSource } from './follower.ts';
import { openWebhookFixture } from './testing/fixture.ts';
import { openReceiver, verified } from './testing/receiver.ts';

const harness = await freshDaemonHarness();
const { sql, account } = harness;
const receiver = await openReceiver();
afterAll(() => receiver.close());
const fixture = openWebhookFixture(harness, { allowedAddresses: [receiver.place] });
afterAll(await fixture.webhooks.start());
const { add, says, happens, quiet, service } = fixture;
const { url } = receiver;

beforeEach(async () => {
  await harness.quiet();
  await quiet();
  await sql('DELETE FROM webhooks');
  receiver.received.length = 0;
});

const ANA = '+49151000111';
const BEN = '+49151000222';
const WORD = 'canary';

const told = () => receiver.bodies().map(({ type }) => type);
const wholeText = () => receiver.received.map(({ body }) => body).join('\n');

test('delivers a received message once, signed and without its text', async () => {
  const { secret } = await add({ url });
  const { chat, contact, id } = await says(ANA, `the ${WORD} sings`);
  await quiet();
  expect(receiver.bodies()).toMatchObject([
    {
      type: 'message.received',
      data: { message_id: id, chat_id: chat, contact_id: contact, direction: 'in', kind: 'text' },
    },
  ]);
  const [first] = receiver.received;
  expect(first?.body).not.toMatch(/canary|49151/);
  if (first) expect(verified(secret, first)).toEqual(receiver.bodies()[0]);
  expect(await fixture.deliveries()).toEqual([{ state: 'delivered', attempts: 1, failure: null }]);
  const [webhook] = await service.list();
  expect(webhook).toMatchObject({ pending: 0, dead: 0, failing_since: null });
  expect(webhook?.last_delivered_at).not.toBeNull();
});

test('includes text and names only for a webhook with include_text', async () => {
  await add({ url, name: 'with', include_text: true, events: ['message.received'] });
  await add({ url, name: 'without', events: ['message.received'] });
  await says(ANA, `the ${WORD} sings`);
  await quiet();
  const texts = receiver.bodies().map(({ data }) => 'text' in data && data.text);
  expect(texts.sort()).toEqual([`the ${WORD} sings`, false].sort());
  const [with_] = receiver.bodies().filter(({ data }) => 'text' in data);
  expect(with_?.data).toMatchObject({ from: '49151000111@s.whatsapp.net' });
});

test('delivers what the owner types on a phone as a sent message', async () => {
  await add({ url });
  const { id } = await says(ANA, WORD, { fromMe: true });
  await quiet();
  expect(receiver.bodies()).toMatchObject([
    { type: 'message.sent', data: { message_id: id, outbox_id: null, state: 'sent' } },
  ]);
});

test('delivers every step of a conversation, with its objective only where text is included', async () => {
  await add({ url, events: ['conversation.state'] });
  harness.agent(() => ({ messages: ['Hello'] }));
  const id = await harness.create();
  await harness.reaches(id, 'WAITING_FOR_REPLY');
  await quiet();
  const steps = receiver
    .bodies()
    .map(({ data }) => ('from_state' in data ? `${data.from_state} → ${data.state}` : ''));
  expect(steps).toEqual(['null → CREATED', ...(await harness.steps(id))]);
  expect(wholeText()).not.toContain('quote');
  await service.change('127.0.0.2', { include_text: true });
  receiver.received.length = 0;
  await harness.service.cancel(id);
  await quiet();
  expect(wholeText()).toContain('Get a quote');
});

test('delivers an approval when it is requested and answered, and again only when it changes', async () => {
  await add({ url, events: ['approval.requested', 'approval.answered'] });
  const asked = { kind: 'send_message', chat: (await says(ANA, 'hi')).chat, text: WORD };
  const [row] = await sql<{ id: string }>(
    `INSERT INTO approvals (account_id, intent, intent_hash, reason, requested_by, expires_at)
    VALUES ($1, $2, 'h', 'draft', 'owner', now() + interval '1 day') RETURNING id`,
    [account, JSON.stringify(asked)],
  );
  await happens('approval', row?.id ?? '', { state: 'pending', reason: 'draft', fresh: true });
  await happens('approval', row?.id ?? '', { state: 'pending', reason: 'draft', fresh: false });
  await happens('approval', row?.id ?? '', { state: 'rejected', reason: 'draft' });
  await quiet();
  expect(receiver.bodies()).toMatchObject([
    {
      type: 'approval.requested',
      data: { approval_id: row?.id, state: 'pending', reason: 'draft' },
    },
    { type: 'approval.answered', data: { approval_id: row?.id, state: 'rejected' } },
  ]);
  expect(wholeText()).not.toContain(WORD);
});

test('delivers link states, and as health only those that affect Relay', async () => {
  await add({ url, events: ['link.state', 'health'] });
  await happens('link', null, { state: 'connecting', from: null });
  await happens('link', null, { state: 'connected', from: 'connecting' });
  await happens('link', null, { state: 'logged_out', from: 'connected' });
  await happens('hold', null, { on: true });
  await happens('sending.frozen', null, { cause: 'too_fast', until: '2026-11-15T10:00:00.000Z' });
  await quiet();
  const health = receiver.bodies().filter(({ type }) => type === 'health');
  expect(told().filter((type) => type === 'link.state')).toHaveLength(3);
  expect(health.map(({ data }) => 'what' in data && [data.what, data.ok, data.needs_you])).toEqual([
    ['whatsapp', true, false],
    ['whatsapp', false, true],
    ['hold', false, false],
    ['sending', false, false],
  ]);
});

test('delivers only events since the webhook’s creation, and none while it is off', async () => {
  await says(ANA, 'before');
  const { id } = await add({ url });
  await quiet();
  expect(receiver.received).toEqual([]);
  await add({ url, name: 'later', events: ['health'] });
  await service.change(id, { enabled: false });
  await says(ANA, 'while off');
  await quiet();
  await service.change(id, { enabled: true });
  const { id: message } = await says(ANA, 'after');
  await quiet();
  expect(receiver.bodies()).toMatchObject([{ data: { message_id: message } }]);
});

test('filters by chat, by direction and by state', async () => {
  const { contact } = await says(ANA, 'I am here');
  await says(BEN, 'me too');
  await add({ url, name: 'ana', chats: [ANA], events: ['message.received', 'message.sent'] });
  await add({
    url,
    name: 'out',
    directions: ['out'],
    events: ['message.received', 'message.sent'],
  });
  await add({ url, name: 'ended', states: ['COMPLETED'], events: ['conversation.state'] });
  expect((await service.list()).find(({ name }) => name === 'ana')?.chats).toMatchObject([
    { id: contact, kind: 'person' },
  ]);
  await says(ANA, 'one');
  await says(BEN, 'two');
  await says(BEN, 'three', { fromMe: true });
  await quiet();
  const rows = await sql<{ name: string; type: string }>(
    `SELECT w.name, d.type FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id ORDER BY d.seq`,
  );
  expect(rows).toEqual([
    { name: 'ana', type: 'message.received' },
    { name: 'out', type: 'message.sent' },
  ]);
  await service.change('ana', { chats: null, directions: ['in'] });
  await says(BEN, 'four');
  await quiet();
  expect(await fixture.deliveries('type')).toHaveLength(3);
});

test('keeps a contact in a filter when two of their addresses turn out to be one contact', async () => {
  const { contact } = await says(ANA, 'hi');
  await add({ url, chats: [ANA] });
  const into = randomUUID() as ContactId;
  await happens('contact.merged', into, { from: contact });
  await quiet();
  const [row] = await sql<{ filter: { contacts: string[] } }>('SELECT filter FROM webhooks');
  expect(row?.filter.contacts).toEqual([into]);
});

test('does not deliver what was erased before it is sent', async () => {
  receiver.answer = (_, response) => void response.writeHead(500).end();
  await add({ url, include_text: true });
  const { id } = await says(ANA, WORD);
  await quiet();
  expect(receiver.received).toHaveLength(1);
  receiver.answer = (_, response) => void response.writeHead(204).end();
  await sql('DELETE FROM messages WHERE message_id = $1', [id]);
  await fixture.pass(60_000);
  await quiet();
  expect(receiver.received).toHaveLength(1);
  expect(await fixture.deliveries()).toEqual([
    { state: 'dropped', attempts: 1, failure: 'erased' },
  ]);
  expect(await service.replayDead('127.0.0.2')).toBe(0);
});

test('delivers an event once, with concurrent followers and after an interrupted read', async () => {
  await add({ url });
  await quiet();
  const { jobs } = fixture.own;
  const cut = Object.assign(Object.create(jobs), {
    enqueue: () => Promise.reject(new Error('cut off')),
  });
  await says(ANA, 'one');
  await followNextEvents(webhookSource({ ...fixture.own, jobs: cut }), 100).catch(() => {});
  await Promise.all(times(4, () => followNextEvents(webhookSource(fixture.own), 100)));
  await quiet();
  expect(await fixture.deliveries()).toEqual([{ state: 'delivered', attempts: 1, failure: null }]);
  expect(receiver.received).toHaveLength(1);
});

test('does not wake followers by following events itself', async () => {
  await add({ url });
  await quiet();
  let hints = 0;
  const unsubscribe = fixture.own.events.subscribe(() => {
    hints += 1;
  });
  await followNextEvents(webhookSource(fixture.own), 100);
  unsubscribe();
  expect(hints).toBe(0);
});

test('delivers an event that an older transaction held back, however long that took', async () => {
  verifies('SEP-LOST-HINT');
  await add({ url });
  await quiet();
  // The waits between two looks pass at once; without the older transaction there are none.
  const { setTimeout: start } = globalThis;
  let looks = 0;
  const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
    call: () => void,
    ms: number,
  ) => {
    if (ms !== HELD_BACK_MS) return start(call, ms);
    looks += 1;
    return start(call, 5);
  }) as typeof setTimeout);
  onTestFinished(() => void timers.mockRestore());
  await harness.database.kysely.transaction().execute(async (older) => {
    await dbSql`SELECT pg_current_xact_id()`.execute(older);
    await says(ANA, 'held back');
    await eventually(() => looks > 20);
    expect(receiver.received).toEqual([]);
  });
  await eventually(() => receiver.received.length === 1);
});

test('follows events again when another process has created the first webhook', async () => {
  verifies('SEP-LOST-HINT');
  // The follower finds that nobody wants events, and rests.
  await says(ANA, 'for nobody');
  await quiet();
  // The other process shares the database, and nothing else.
  const other = openWebhookFixture(harness, { allowedAddresses: [receiver.place] });
  await other.add({ url });
  fixture.webhooks.wake();
  await says(ANA, 'for the webhook');
  await eventually(() => receiver.received.length === 1);
});

test('stores no text and no name in the table of deliveries', async () => {
  await add({ url, include_text: true });
  await says(ANA, `the ${WORD} sings`);
  await quiet();
  const rows = await sql('SELECT row_to_json(d)::text AS text FROM webhook_deliveries d');
  expect(JSON.stringify(rows)).not.toMatch(/canary|49151/);
});

test('sends a test as a ping, once and recorded', async () => {
  const { secret } = await add({ url, events: ['health'] });
  expect(await service.test('127.0.0.2')).toMatchObject({ state: 'delivered', last_status: 204 });
  expect(told()).toEqual(['ping']);
  const [ping] = receiver.received;
  if (ping) expect(verified(secret, ping)).toMatchObject({ type: 'ping' });
});

test('signs with a new secret at once, and for a day also with the previous one', async () => {
  const { secret: before } = await add({ url });
  const { secret } = await service.rotate('127.0.0.2');
  await service.test('127.0.0.2');
  const [first] = receiver.received;
  expect(first && verified(secret, first)).toBeDefined();
  expect(first && verified(before, first)).toBeDefined();
  await sql("UPDATE webhooks SET rotated_at = now() - interval '25 hours'");
  await service.test('127.0.0.2');
  const second = receiver.received[1];
  expect(second && verified(secret, second)).toBeDefined();
  expect(() => second && verified(before, second)).toThrow();
});

test('refuses invalid settings with a sentence', async () => {
  await add({ url, name: 'one' });
  await expect(add({ url, name: 'one' })).rejects.toMatchObject({ code: 'webhook_exists' });
  await expect(service.remove('two')).rejects.toMatchObject({ code: 'webhook_not_found' });
  await expect(add({ url, chats: ['nobody at all'] })).rejects.toMatchObject({
    code: 'contact_unknown',
  });
  await expect(add({ url: 'https://me:secret@example.org/' })).rejects.toMatchObject({
    code: 'webhook_url',
  });
  await expect(service.replay('one', randomUUID())).rejects.toMatchObject({
    code: 'delivery_not_found',
  });
});
