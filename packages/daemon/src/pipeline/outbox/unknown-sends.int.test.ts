import type { ScriptedAnswer } from '@relay/testing/scripted-transport';
import { sleep } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { describe, expect, onTestFinished, test } from 'vitest';
import { knownTwice } from '../../platform/db/testing/people.ts';
import { freshPost, type PostOptions } from './testing/post.ts';

const post = (options?: PostOptions) => freshPost(onTestFinished, options);

describe('after a kill', () => {
  const POINTS: [string, ScriptedAnswer][] = [
    ['before the send', 'silent'],
    ['after it left, before the answer', 'left and silent'],
    ['in a broken connection, before it left', 'lost and cut'],
    ['in a broken connection, after it left', 'left and cut'],
  ];

  test.each(POINTS)('%s: loses nothing and keeps the message id', async (_name, answer) => {
    const { send, start, kill, network, becomes, recorded } = await post();
    network.answer = () => answer;
    start();
    const { messageId } = await send('Hello');
    await expect.poll(() => network.asked.length).toBe(1);
    await kill();
    network.answer = () => 'ack';
    start();
    await becomes('sent');
    expect(new Set(network.asked)).toEqual(new Set([messageId]));
    expect(network.shown).toEqual(['Hello']);
    expect(recorded).toEqual(['Hello']);
  });

  test('before the attempt is recorded: sends as if it had never been tried', async () => {
    const { send, start, kill, network, becomes } = await post();
    network.become({ state: 'reconnecting' });
    start();
    await send('Hello');
    await kill();
    network.become({ state: 'connected' });
    start();
    await becomes('sent');
    expect(network.asked).toHaveLength(1);
  });

  test('between the answer and recording it: the message is in doubt, and is recorded once in the end', async () => {
    const { send, start, kill, network, becomes, onRecord, recorded } = await post();
    let writes = 0;
    onRecord(async () => {
      writes += 1;
      throw new Error('killed');
    });
    start();
    await send('Hello');
    await expect.poll(() => writes).toBeGreaterThan(0);
    await kill();
    onRecord(async () => {});
    start();
    await becomes('sent');
    expect(network.shown).toEqual(['Hello']);
    expect(recorded).toEqual(['Hello']);
  });
});

test('delivers all messages, each under one id and shown once, after kills at any moment', async () => {
  const { send, start, kill, network, states, recorded, later } = await post({
    delivery: { grace_ms: 1 },
  });
  const ends: ScriptedAnswer[] = [
    'ack',
    'cut',
    'left and cut',
    'lost and cut',
    'left and silent',
    'silent',
  ];
  network.answer = (_message, nth) => ends[(nth * 7) % ends.length] ?? 'ack';
  const sent = new Map<string, string>();
  for (let life = 0; life < 12; life++) {
    start();
    for (const n of [1, 2, 3]) {
      const { messageId, state } = await send(`${life}.${n}`, { to: `+49 151 00000${n}` });
      expect(state).toBe('pending');
      sent.set(messageId, `${life}.${n}`);
    }
    await sleep(life * 5);
    await kill();
  }
  network.answer = () => 'ack';
  start();
  await expect
    .poll(
      async () => {
        // Past the waits before retries.
        later(5_000);
        return new Set(await states());
      },
      { timeout: 30_000 },
    )
    .toEqual(new Set(['sent']));
  for (const { id, text } of network.wire) expect(sent.get(id)).toBe(text);
  expect(network.shown.sort()).toEqual([...sent.values()].sort());
  expect(recorded.sort()).toEqual([...sent.values()].sort());
});

test('reconciles an attempt that was recorded but never made at the next connection', async () => {
  const { send, start, network, becomes, sql } = await post();
  network.become({ state: 'reconnecting' });
  start();
  await send('Hello');
  await sql('UPDATE outbox SET attempts = 1, attempted_at = now(), in_doubt = true');
  network.become({ state: 'connected' });
  await becomes('sent');
  expect(network.asked).toHaveLength(1);
});

test('settles a message in doubt by a replayed receipt and does not offer it again', async () => {
  const { send, start, kill, network, becomes, recorded, later } = await post({
    delivery: { grace_ms: 60_000 },
  });
  network.answer = () => 'left and silent';
  start();
  const { messageId } = await send('Hello');
  await expect.poll(() => network.asked.length).toBe(1);
  await kill();
  start();
  await becomes('unknown');
  network.receipt(messageId, 'delivered');
  await becomes('delivered');
  network.answer = () => 'ack';
  later(120_000);
  // Sent after the grace period: by then the first message would have been offered again.
  const next = await send('Next');
  await becomes('delivered', 'sent');
  expect(network.asked).toEqual([messageId, next.messageId]);
  expect(recorded).toEqual(['Hello', 'Next']);
});

test('offers nothing in doubt again during the replay', async () => {
  const { send, start, kill, network, becomes, states } = await post();
  network.answer = () => 'left and silent';
  start();
  await send('Hello');
  await expect.poll(() => network.asked.length).toBe(1);
  await kill();
  network.answer = () => 'ack';
  network.become({ state: 'syncing', replaying: 7 });
  start();
  await becomes('unknown');
  await sleep(400);
  expect(await states()).toEqual(['unknown']);
  expect(network.asked).toHaveLength(1);
  network.become({ state: 'connected', replaying: null });
  await becomes('sent');
});

test('holds back only the chat of a message in doubt', async () => {
  const { send, start, kill, network, becomes } = await post({ delivery: { grace_ms: 60_000 } });
  network.answer = () => 'left and silent';
  start();
  await send('in doubt');
  await expect.poll(() => network.asked.length).toBe(1);
  await kill();
  network.answer = () => 'ack';
  start();
  await send('behind it');
  await send('elsewhere', { to: '+49 151 000002' });
  await becomes('unknown', 'pending', 'sent');
});

test('leaves a message that is too old to offer again unknown, notifies the owner and continues the chat', async () => {
  const { send, start, kill, network, becomes, sql, later, settled, states } = await post();
  network.answer = () => 'left and silent';
  start();
  const { messageId } = await send('Hello');
  await expect.poll(() => network.asked.length).toBe(1);
  await kill();
  later(2 * 3_600_000);
  network.answer = () => 'ack';
  start();
  await send('Next');
  await becomes('unknown', 'sent');
  expect(network.shown).toEqual(['Hello', 'Next']);
  expect(await sql("SELECT subject FROM events WHERE kind = 'outbox.undecided'")).toHaveLength(1);
  network.receipt(messageId, 'read');
  await settled();
  expect(await states()).toEqual(['read', 'sent']);
});

test.each(['phone', 'lid'] as const)(
  'offers a message in doubt again after its recipient was merged with the contact known by LID (kept: %s)',
  async (kept) => {
    verifies('IDENTITY-MERGE-CARRIES');
    const fixture = await post({ delivery: { grace_ms: 1 } });
    const { becomes, network, send, start } = fixture;
    const person = await knownTwice(fixture, fixture.lease, kept);
    network.answer = ({ text }) => (text === 'in doubt' ? 'lost and cut' : 'ack');
    start();
    await send('earlier', { to: person.lid });
    await becomes('sent');
    const { messageId } = await send('in doubt', { to: person.phone });
    await becomes('sent', 'unknown');
    await person.merge();
    network.answer = () => 'ack';
    fixture.later(2_000);
    await becomes('sent', 'sent');
    expect(network.shown).toEqual(['earlier', 'in doubt']);
    expect(network.wire.at(-1)).toMatchObject({ id: messageId, chat: person.phone });
  },
);
