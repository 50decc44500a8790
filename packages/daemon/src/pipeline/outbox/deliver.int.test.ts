import { deliverySchema, pacingSchema } from '@relay/contract/settings';
import { times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { expect, onTestFinished, test } from 'vitest';
import { claimMessages } from './claim.ts';
import { freshPost, type PostOptions } from './testing/post.ts';

const HOUR = 3_600_000;

const post = (options?: PostOptions) => freshPost(onTestFinished, options);

test('sends a message once, records it, and lets receipts only advance its state', async () => {
  // With a transport that is not Baileys: any that fulfils the port's contract can replace it.
  verifies('003-EXT-WHATSAPP');
  const { send, start, network, becomes, settled, states, recorded, sql } = await post();
  start();
  const { messageId, jid } = await send('Hello');
  await becomes('sent');
  expect(network.wire).toEqual([{ id: messageId, chat: jid, text: 'Hello' }]);
  expect(jid).toBe('49151000001@s.whatsapp.net');
  network.receipt(messageId, 'read');
  network.receipt(messageId, 'delivered');
  network.receipt(messageId, 'sent');
  await settled();
  expect(await states()).toEqual(['read']);
  expect(recorded).toEqual(['Hello']);
  const events = await sql(
    "SELECT data->>'state' AS state FROM events WHERE kind = 'outbox' ORDER BY id",
  );
  expect(events.map(({ state }) => state)).toEqual(['sent', 'read']);
});

test.each([
  ['behind', 3 * HOUR],
  ['ahead of', -3 * HOUR],
])(
  'dates a receipt that overtakes the acknowledgement by Relay’s clock if WhatsApp’s is %s it',
  async (_, ms) => {
    const { send, start, network, becomes, later, now, sql } = await post();
    network.answer = () => 'left and silent';
    later(ms);
    start();
    const before = now();
    const { messageId } = await send('Hello');
    await expect.poll(() => network.wire.length).toBe(1);
    network.receipt(messageId, 'delivered');
    await becomes('delivered');
    const [row] = await sql<{ sent_at: Date; delivered_at: Date }>(
      'SELECT sent_at, delivered_at FROM outbox',
    );
    for (const at of [row?.sent_at, row?.delivered_at]) {
      expect(at?.getTime()).toBeGreaterThanOrEqual(before.getTime());
      expect(at?.getTime()).toBeLessThanOrEqual(now().getTime());
    }
  },
);

test('sends two hundred messages in the order they were written', async () => {
  const { send, start, network, states } = await post();
  network.answer = (_message, nth) => ({ ackAfter: nth % 7 });
  const texts = times(200, (n) => `${n}`);
  for (const text of texts.slice(0, 100)) await send(text);
  const deliverer = start();
  for (const text of texts.slice(100)) await send(text);
  await expect
    .poll(async () => new Set(await states()), { timeout: 20_000 })
    .toEqual(new Set(['sent']));
  await deliverer.stop(1_000);
  expect(network.wire.map(({ text }) => text)).toEqual(texts);
});

test('retries an unsent message after 5, 10 and 20 seconds and then fails it with a sentence', async () => {
  const { send, start, network, becomes, later, sql } = await post();
  network.answer = () => 'cut';
  start();
  await send('Hello');
  for (const [tries, wait] of [5, 10, 20].entries()) {
    await expect.poll(() => network.asked.length).toBe(tries + 1);
    await expect
      .poll(async () => (await sql('SELECT in_doubt FROM outbox'))[0]?.in_doubt)
      .toBe(false);
    later(wait * 1_000 - 900);
    expect(network.asked).toHaveLength(tries + 1);
    later(1_000);
  }
  await becomes('failed');
  expect(new Set(network.asked).size).toBe(1);
  expect((await sql('SELECT failure FROM outbox'))[0]?.failure).toMatch(/could not be reached/);
});

test('tries nothing while the account is offline, and sends everything once it is back', async () => {
  const { send, start, network, becomes } = await post();
  network.become({ state: 'reconnecting' });
  start();
  await send('one');
  await send('two');
  expect(network.asked).toEqual([]);
  network.become({ state: 'connected' });
  await becomes('sent', 'sent');
});

test('makes everything wait during a hold and loses nothing', async () => {
  const { send, start, network, becomes, sql, account } = await post();
  network.become({ state: 'reconnecting' });
  const deliverer = start();
  await send('Hello');
  await sql("INSERT INTO holds (account_id, reason) VALUES ($1, 'stop')", [account]);
  network.become({ state: 'connected' });
  await expect(send('More')).rejects.toThrow('relay release');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(network.asked).toEqual([]);
  await sql('DELETE FROM holds');
  deliverer.wake();
  await becomes('sent');
});

test('stops a message with a sentence if its permit is revoked before it is sent', async () => {
  const { send, start, network, becomes, sql } = await post();
  network.become({ state: 'reconnecting' });
  start();
  await send('Hello');
  await sql('UPDATE permits SET revoked_at = now()');
  network.become({ state: 'connected' });
  await becomes('failed');
  expect(network.asked).toEqual([]);
  expect((await sql('SELECT failure FROM outbox'))[0]?.failure).toMatch(/revoked/);
});

test('offers nothing after losing its lease', async () => {
  const { send, start, network, sql } = await post();
  network.become({ state: 'reconnecting' });
  start();
  await send('Hello');
  await sql('UPDATE account_leases SET epoch = epoch + 1');
  network.become({ state: 'connected' });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(network.asked).toEqual([]);
});

test('queues one message for twenty equal requests with one key, and refuses another text under it', async () => {
  const { send, start, network, becomes, states } = await post();
  const answers = await Promise.all(times(20, () => send('Hello', { key: 'k1' })));
  expect(new Set(answers.map(({ messageId }) => messageId)).size).toBe(1);
  expect(await states()).toEqual(['pending']);
  await expect(send('Goodbye', { key: 'k1' })).rejects.toThrow('Use a new key');
  await expect(send('Hello', { key: 'k1', to: '+49 151 000002' })).rejects.toThrow('Use a new key');
  start();
  await becomes('sent');
  expect((await send('Hello', { key: 'k1' })).state).toBe('sent');
  expect(network.wire).toHaveLength(1);
});

test('refuses a claim with a lost lease before it reads or writes anything', async () => {
  const { database, lease, send, states } = await post();
  await send('Hello');
  const options = {
    db: database.kysely,
    lease: { ...lease, epoch: lease.epoch + 1 },
    pacing: pacingSchema.parse({ enabled: false }),
    delivery: deliverySchema.parse({}),
    recheck: async () => [{ verdict: 'go' } as const],
    hooks: { recordSent: async () => {}, onUndelivered: async () => {}, onSettled: async () => {} },
  };
  const claiming = {
    ...{ now: new Date(), room: 1, inFlight: [], reconciled: true },
    ...{ timeLockedUntil: null, typed: 'unneeded' as const },
  };
  await expect(claimMessages(options, claiming)).rejects.toThrow();
  expect(await states()).toEqual(['pending']);
  const { rows } = await claimMessages({ ...options, lease }, claiming);
  expect(rows).toHaveLength(1);
});
