import type { Answer } from '@relay/testing/scripted-transport';
import { sleep } from '@relay/testing/store';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freshPost, type PostOptions } from './testing/post.ts';

const post = (options?: PostOptions) => freshPost(onTestFinished, options);

describe('killed', () => {
  const POINTS: [string, Answer][] = [
    ['before the send', 'silent'],
    ['after it left, before the answer', 'left and silent'],
    ['in a broken connection, before it left', 'lost and cut'],
    ['in a broken connection, after it left', 'left and cut'],
  ];

  test.each(POINTS)('%s: nothing is lost and the id stays the same', async (_name, answer) => {
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

  test('before the attempt is written: it is as if it had never been tried', async () => {
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

  test('between the answer and its writing: the message is in doubt and recorded once in the end', async () => {
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

test('a receipt of the replay settles what was in doubt, and it is not offered again', async () => {
  const { send, start, kill, network, becomes, recorded } = await post({
    delivery: { grace_ms: 400 },
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
  await sleep(700);
  expect(network.asked).toHaveLength(1);
  expect(recorded).toEqual(['Hello']);
});

test('while the replay lasts, nothing in doubt is offered again', async () => {
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

test('a message in doubt holds back its own chat and no other', async () => {
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

test('too old to be offered again it stays unknown, its owner is told, and its chat goes on', async () => {
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
