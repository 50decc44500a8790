// Tests that WhatsApp is asked whether the number is registered before a first message: when it is submitted or, if
// that is not possible, before it is sent.
import { verifies } from '@relay/testing/verifies';
import { expect, onTestFinished, test } from 'vitest';
import { freshPost, type PostOptions } from './testing/post.ts';

const post = (options: PostOptions = {}) =>
  freshPost(onTestFinished, { looksUp: true, ...options });
const ANA = '49151000001@s.whatsapp.net';
const BEN = { to: '+49 151 000002' };
const BENS = '49151000002@s.whatsapp.net';

test('refuses an unregistered number with a code and a sentence, and queues nothing', async () => {
  const { send, network, sql, start } = await post();
  network.registered = async () => null;
  start();
  await expect(send('Hello')).rejects.toMatchObject({
    code: 'not_on_whatsapp',
    message: expect.stringContaining('not registered on WhatsApp'),
  });
  expect(await sql('SELECT 1 FROM outbox')).toEqual([]);
  expect(await sql('SELECT outcome, reason FROM ledger')).toEqual([
    { outcome: 'deny', reason: 'not_on_whatsapp' },
  ]);
  expect(network.asked).toEqual([]);
});

test('stores a positive answer and asks about a number once, also after a restart', async () => {
  const { send, network, becomes, start, kill } = await post();
  start();
  await send('Hello');
  await send('Are you there?');
  await becomes('sent', 'sent');
  await kill();
  start();
  await send('And again');
  await becomes('sent', 'sent', 'sent');
  expect(network.lookedUp).toEqual([ANA]);
});

test('does not ask about somebody who has written, who has a LID or who is in a group', async () => {
  const { send, network, becomes, start, sql, account } = await post();
  network.become({ state: 'reconnecting' });
  for (const to of ['+49 151 000001', '+49 151 000002', '+49 151 000003']) await send('Hi', { to });
  await sql(
    `INSERT INTO message_keys (account_id, chat_id, sender, message_id, id, sent_at)
     SELECT $1, c.id, 'x', 'M', 1, now() FROM chats c JOIN contact_aliases a USING (account_id, contact_id)
     WHERE a.value = '49151000001'`,
    [account],
  );
  await sql(
    `INSERT INTO contact_aliases (account_id, kind, value, contact_id)
     SELECT $1, 'lid', '77', contact_id FROM contact_aliases WHERE value = '49151000002'`,
    [account],
  );
  await sql(
    `WITH g AS (INSERT INTO chats (account_id, kind, group_address) VALUES ($1, 'group', '1@g.us') RETURNING id)
     INSERT INTO chat_members (account_id, chat_id, contact_id)
     SELECT $1, g.id, a.contact_id FROM g, contact_aliases a WHERE a.value = '49151000003'`,
    [account],
  );
  start();
  network.become({ state: 'connected' });
  await becomes('sent', 'sent', 'sent');
  expect(network.lookedUp).toEqual([]);
});

test('queues a first message while WhatsApp is out of reach, and checks the number before sending', async () => {
  verifies('003-FIRST-REGISTERED');
  const { send, network, becomes, sql, start } = await post();
  network.registered = async (address) => (address === BENS ? null : address);
  network.become({ state: 'reconnecting' });
  start();
  await send('Hello');
  await send('Hello', BEN);
  await becomes('pending', 'pending');
  expect(network.lookedUp).toEqual([]);
  network.become({ state: 'connected' });
  await becomes('sent', 'failed');
  expect([...network.lookedUp].sort()).toEqual([ANA, BENS]);
  expect(network.wire.map(({ chat }) => chat)).toEqual([ANA]);
  const [failed] = await sql("SELECT failure FROM outbox WHERE state = 'failed'");
  expect(failed?.failure).toContain('not registered on WhatsApp');
  const [stopped] = await sql("SELECT reason FROM ledger WHERE action = 'stop_message'");
  expect(stopped).toEqual({ reason: 'not_on_whatsapp' });
});

test('makes a first message wait without an answer, and sends messages to others', async () => {
  const { send, network, becomes, start, later, looked } = await post();
  start();
  await send('Hello');
  await becomes('sent');
  network.registered = async () => {
    throw new Error('silence');
  };
  await send('Hello', BEN);
  await send('Still there');
  await becomes('sent', 'pending', 'sent');
  await looked();
  const asked = network.lookedUp.length;
  network.registered = async (address) => address;
  await looked();
  expect(network.lookedUp).toHaveLength(asked);
  later(30_001);
  await becomes('sent', 'sent', 'sent');
});

test('sends messages to others while WhatsApp has not answered about a number', async () => {
  const { send, network, becomes, start } = await post({ pacing: { enabled: true } });
  start();
  await send('Hello');
  await becomes('sent');
  network.become({ state: 'reconnecting' });
  await send('Hello', BEN);
  await send('Still there');
  const answer = Promise.withResolvers<string>();
  network.registered = () => answer.promise;
  network.become({ state: 'connected' });
  await becomes('sent', 'pending', 'sent');
  expect(network.lookedUp).toEqual([ANA, BENS]);
  answer.resolve(BENS);
  await becomes('sent', 'sent', 'sent');
});

test('asks about an unregistered number again later', async () => {
  const { send, network, becomes, start, later } = await post();
  network.registered = async () => null;
  start();
  await expect(send('Hello')).rejects.toMatchObject({ code: 'not_on_whatsapp' });
  network.registered = async (address) => address;
  await expect(send('Hello')).rejects.toMatchObject({ code: 'not_on_whatsapp' });
  later(10 * 60_000 + 1);
  await send('Hello');
  await becomes('sent');
  expect(network.lookedUp).toEqual([ANA, ANA]);
});

test('writes to a number under the spelling that WhatsApp answers', async () => {
  const { send, network, becomes, start, sql } = await post();
  network.registered = async () => '491510000011@s.whatsapp.net';
  start();
  const { jid } = await send('Hello');
  await becomes('sent');
  expect(network.wire.map(({ chat }) => chat)).toEqual(['491510000011@s.whatsapp.net']);
  expect(jid).toBe('491510000011@s.whatsapp.net');
  await send('Under the old one', { to: '+49 151 000001' });
  await becomes('sent', 'sent');
  expect(await sql('SELECT count(*)::int AS n FROM contacts')).toEqual([{ n: 1 }]);
});

test('stores a number and the LID that WhatsApp answers as one contact', async () => {
  const { send, network, becomes, start, sql } = await post();
  network.registered = async () => '99887766@lid';
  start();
  await send('Hello');
  await becomes('sent');
  expect(await sql('SELECT kind, is_registered FROM contact_aliases ORDER BY kind')).toEqual([
    { kind: 'lid', is_registered: null },
    { kind: 'phone', is_registered: true },
  ]);
});
