import { sessionId } from '@relay/contract/ids';
import { expect, test } from 'vitest';
import { SessionTurns, TurnStopped } from './deps.ts';

const A = sessionId('00000000-0000-4000-8000-00000000000a');
const B = sessionId('00000000-0000-4000-8000-00000000000b');
const never = new AbortController().signal;
const untilEnded = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

test('runs one turn of a session at a time, in order', async () => {
  const turns = new SessionTurns();
  const log: string[] = [];
  const turn = (name: string) =>
    turns.run(A, never, async () => {
      log.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      log.push(`${name} ends`);
    });
  await Promise.all([turn('one'), turn('two'), turn('three')]);
  expect(log).toEqual([
    'one begins',
    'one ends',
    'two begins',
    'two ends',
    'three begins',
    'three ends',
  ]);
});

test('runs sessions independently and continues after a failed turn', async () => {
  const turns = new SessionTurns();
  const first = turns.run(A, never, untilEnded).catch((error: unknown) => error);
  expect(await turns.run(B, never, async () => 'b')).toBe('b');
  const next = turns.run(A, never, async () => 'a');
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect(turns.stop(A)).toBe(true);
  expect(await first).toBeInstanceOf(TurnStopped);
  expect(await next).toBe('a');
  expect(turns.stop(A)).toBe(false);
});

test('lets a waiting turn be aborted without blocking the next one', async () => {
  const turns = new SessionTurns();
  const over = Promise.withResolvers<void>();
  const first = turns.run(A, never, () => over.promise);
  const leaving = new AbortController();
  const second = turns.run(A, leaving.signal, async () => 'never');
  const third = turns.run(A, never, async () => 'third');
  leaving.abort(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  over.resolve();
  await first;
  expect(await third).toBe('third');
});
