// Retry requests and receipts for sent messages that arrive while Relay is down or as it crashes.
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { onServer } from '../postgres.ts';
import { eventually } from './gateway.ts';
import { BEN, ME, startLinkedRelay } from './linked.ts';

const PATIENCE = { timeout: 30_000, interval: 100 };

describe('a sent message', { timeout: 120_000 }, () => {
  it('is resent under its id to a phone that lost its session and asks after a crash', async () => {
    const linked = await startLinkedRelay({ database: 'beside' });
    const { demo } = linked;
    await linked.talk('before');
    await demo.phones.ok(`POST /accounts/${BEN}/lose-sessions`);
    await demo.phones.ok(`POST /accounts/${BEN}/power`, { on: false });
    const { messageId } = await demo.relay.send(`+${BEN}`, 'can you read this?', 'one');
    await eventually('one tick', async () => {
      const { state } = await demo.relay.send(`+${BEN}`, 'can you read this?', 'one');
      return state === 'sent' || undefined;
    });
    await demo.kill();

    const unread = once(demo.simulator.network.events, 'undecryptable');
    await demo.phones.ok(`POST /accounts/${BEN}/power`, { on: true });
    await unread;
    await demo.restart();
    const wish = { id: messageId, text: 'can you read this?', status: 'received' };
    await demo.phones.sees(BEN, wish);
    await linked.talk('afterwards');
    expect(await demo.phones.counts(BEN)).toEqual({
      distinct: 3,
      duplicates: 0,
      undecryptable: 0,
    });
    expect(await demo.phones.received(BEN, ME)).toHaveLength(3);
  });

  it('keeps a receipt that arrives as Relay crashes, before it was stored', async () => {
    const linked = await startLinkedRelay({ database: 'beside' });
    const { demo } = linked;
    await linked.talk('before');
    await demo.phones.ok(`POST /accounts/${BEN}/power`, { on: false });
    const stands = async () => (await demo.relay.send(`+${BEN}`, 'did it arrive?', 'one')).state;
    await expect.poll(stands, PATIENCE).toBe('sent');

    await onServer(linked.url, async (client) => {
      await client.query('BEGIN');
      await client.query("SELECT FROM relay.outbox WHERE body = 'did it arrive?' FOR UPDATE");
      await demo.phones.ok(`POST /accounts/${BEN}/power`, { on: true });
      await demo.phones.sees(BEN, { text: 'did it arrive?', status: 'received' });
      // Relay has the receipt, and waits for the row.
      const waiting =
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      await expect.poll(async () => (await client.query(waiting)).rowCount, PATIENCE).not.toBe(0);
      await demo.kill();
      await client.query('ROLLBACK');
    });
    await demo.restart();
    await expect.poll(stands, PATIENCE).toBe('delivered');

    await demo.phones.read(BEN, ME);
    await expect.poll(stands, PATIENCE).toBe('read');
    const companion = demo.simulator.network.account(ME)?.companions.get(1);
    await expect.poll(() => companion?.pending.length, PATIENCE).toBe(0);
  });
});
