import { pacingSchema } from '@relay/contract/settings';
import { describe, expect, onTestFinished, test } from 'vitest';
import { noteLinkedIdentity } from '../../platform/db/account.ts';
import { freshPost, type PostOptions } from './testing/post.ts';

const post = (options?: PostOptions) => freshPost(onTestFinished, options);
const HOUR = 3_600_000;
const MINUTE = 60_000;

test('freezes all sending with a growing wait after a rate limit, and keeps the message', async () => {
  const { send, start, network, becomes, states, later, looked } = await post();
  network.answer = (_message, nth) => (nth <= 2 ? { refuse: 429 } : 'ack');
  start();
  await send('Hello');
  await expect.poll(() => network.asked.length).toBe(1);
  await looked();
  later(14 * MINUTE);
  await looked();
  expect(network.asked).toHaveLength(1);
  later(1 * MINUTE);
  await expect.poll(() => network.asked.length).toBe(2);
  await looked();
  later(29 * MINUTE);
  await looked();
  expect(await states()).toEqual(['pending']);
  later(1 * MINUTE);
  await becomes('sent');
  expect(new Set(network.asked).size).toBe(1);
});

test('fails a refused first contact and freezes first contacts, but still sends to known contacts', async () => {
  const { send, start, network, becomes, sql } = await post();
  start();
  await send('We know each other');
  await becomes('sent');
  network.answer = () => ({ refuse: 463 });
  await send('Who are you?', { to: '+49 151 000002' });
  await becomes('sent', 'failed');
  network.answer = () => 'ack';
  await expect(send('And you?', { to: '+49 151 000003' })).rejects.toThrow('new people');
  await expect(send('Again?', { to: '+49 151 000002' })).rejects.toThrow('new people');
  await send('Still there');
  await becomes('sent', 'failed', 'sent');
  expect(network.asked).toHaveLength(3);
  expect((await sql("SELECT failure FROM outbox WHERE state = 'failed'"))[0]?.failure).toMatch(
    /after they have written/,
  );
});

test('makes only queued first contacts wait until a time lock ends', async () => {
  const { send, start, network, becomes, settled, later } = await post();
  start();
  await send('We know each other');
  await becomes('sent');
  network.become({ state: 'reconnecting' });
  await send('Who are you?', { to: '+49 151 000002' });
  network.become({ state: 'time_locked', timeLockedUntil: new Date(Date.now() + 2 * HOUR) });
  await settled();
  await send('Still there');
  await becomes('sent', 'pending', 'sent');
  later(2 * HOUR + 1);
  await becomes('sent', 'sent', 'sent');
});

test('does not treat somebody who wrote first as a first contact, whatever is frozen', async () => {
  const { send, start, network, becomes, sql, account } = await post();
  network.become({ state: 'reconnecting' });
  start();
  await send('Hello');
  await sql(
    `INSERT INTO message_keys (account_id, chat_id, sender, message_id, id, sent_at)
    SELECT $1, id, 'x', 'M', 1, now() FROM chats`,
    [account],
  );
  network.become({ state: 'connected', timeLockedUntil: new Date(Date.now() + HOUR) });
  await becomes('sent');
  await send('Again');
  await becomes('sent', 'sent');
});

test('fails a message with the code of any other refusal, also after it was sent', async () => {
  const { send, start, network, becomes, sql } = await post();
  start();
  const { messageId } = await send('Hello');
  await becomes('sent');
  network.emit({ type: 'refused', id: messageId, code: 479 });
  await becomes('failed');
  expect((await sql('SELECT failure FROM outbox'))[0]?.failure).toMatch(/code 479/);
});

test('sends no more per minute than allowed, and shows typing for each message', async () => {
  const { send, start, network, states, later, looked } = await post({
    types: true,
    pacing: { enabled: true, per_minute: 3, typing_min_ms: 1, typing_max_ms: 5 },
  });
  start();
  for (const text of ['1', '2', '3', '4', '5']) await send(text);
  const sent = async () => (await states()).filter((state) => state === 'sent').length;
  await expect.poll(sent).toBe(3);
  await looked();
  expect(network.wire).toHaveLength(3);
  later(MINUTE);
  await expect.poll(sent).toBe(5);
  expect(network.wire.map(({ text }) => text)).toEqual(['1', '2', '3', '4', '5']);
  expect(network.typing).toHaveLength(10);
});

test('makes first contacts above the daily limit wait for the next day, and tells from when', async () => {
  const pacing = pacingSchema.parse({ first_contacts_per_day: 2 });
  const { send, start, becomes, later, looked, database, gate, network, now } = await post({
    pacing,
  });
  const queuedNow = () => gate.queuedFirstContacts(database.kysely);
  start();
  await send('1', { to: '+49 151 000001' });
  await send('2', { to: '+49 151 000002' });
  await send('3', { to: '+49 151 000003' });
  await send('1 again', { to: '+49 151 000001' });
  await becomes('sent', 'sent', 'pending', 'sent');
  const [queued, ...more] = await queuedNow();
  expect(more).toEqual([]);
  const wait = (queued?.from.getTime() ?? 0) - now().getTime();
  expect(wait).toBeGreaterThan(23 * HOUR);
  later(wait - HOUR);
  await looked();
  expect(network.wire).toHaveLength(3);
  later(HOUR + 1);
  await becomes('sent', 'sent', 'sent', 'sent');
  expect(await queuedNow()).toEqual([]);
});

test('sends notices to the owner’s own chat, however many first contacts there were today', async () => {
  const pacing = pacingSchema.parse({ first_contacts_per_day: 1 });
  const { send, start, becomes, database, lease, settled } = await post({ pacing });
  await noteLinkedIdentity(database.kysely, lease, { phone: '49151999999', lid: null });
  start();
  await send('1', { to: '+49 151 000001' });
  await send('2', { to: '+49 151 000002' });
  await send('To myself', { to: '+49 151 999999' });
  await settled();
  await becomes('sent', 'pending', 'sent');
});

test('refuses a first contact if the settings allow none, and names the setting', async () => {
  const { send, sql } = await post({ pacing: { enabled: true, first_contacts_per_day: 0 } });
  await expect(send('1')).rejects.toThrow('first_contacts_per_day');
  expect(await sql('SELECT 1 FROM outbox')).toEqual([]);
});

describe('after a clock that was a year ahead is corrected', () => {
  const YEAR = 365 * 24 * HOUR;

  test('counts messages that were sent meanwhile against the limits for one window only', async () => {
    const { send, start, becomes, looked, states, later } = await post({
      pacing: { enabled: true, per_minute: 2 },
    });
    later(YEAR);
    start();
    await send('one');
    await send('two');
    await becomes('sent', 'sent');
    later(-YEAR);
    await send('three');
    await looked();
    expect(await states()).toEqual(['sent', 'sent', 'pending']);
    later(MINUTE);
    await becomes('sent', 'sent', 'sent');
  });

  test('does the same after a restart in between', async () => {
    const { send, start, kill, becomes, looked, states, later } = await post({
      pacing: { enabled: true, per_minute: 2 },
    });
    later(YEAR);
    start();
    await send('one');
    await send('two');
    await becomes('sent', 'sent');
    await kill();
    later(-YEAR);
    start();
    await send('three');
    await looked();
    expect(await states()).toEqual(['sent', 'sent', 'pending']);
    later(MINUTE);
    await becomes('sent', 'sent', 'sent');
  });

  test('retries a message that was not sent after its usual wait', async () => {
    const { send, start, network, becomes, looked, later, sql } = await post();
    network.answer = (_message, nth) => (nth === 1 ? 'cut' : 'ack');
    later(YEAR);
    start();
    await send('Hello');
    const tried = 'SELECT FROM outbox WHERE attempts = 1 AND NOT in_doubt';
    await expect.poll(() => sql(tried)).toHaveLength(1);
    later(-YEAR);
    await looked();
    expect(network.asked).toHaveLength(1);
    later(5_000);
    await becomes('sent');
  });

  test('keeps the length of a freeze that began meanwhile', async () => {
    const { send, start, network, becomes, looked, later, sql } = await post();
    network.answer = (_message, nth) => (nth === 1 ? { refuse: 429 } : 'ack');
    later(YEAR);
    start();
    await send('Hello');
    await expect.poll(async () => (await sql('SELECT FROM freezes')).length).toBe(1);
    later(-YEAR);
    await looked();
    later(14 * MINUTE);
    await looked();
    expect(network.asked).toHaveLength(1);
    later(1 * MINUTE);
    await becomes('sent');
  });
});
