import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type NextLook, PollLoop } from './poll-loop.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A loop whose looks return results from a list: a result, or an error to throw. */
function startLoop(
  results: (NextLook | Error)[],
  options: { readonly hintsEndFailure?: boolean; readonly gatherMs?: number } = {},
) {
  let looks = 0;
  const failures: unknown[] = [];
  const loop = new PollLoop({
    look: async () => {
      const result = results[looks++] ?? Number.POSITIVE_INFINITY;
      if (result instanceof Error) throw result;
      return result;
    },
    failed: (error) => failures.push(error) * 100,
    ...options,
  });
  loop.start();
  const after = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    return looks;
  };
  return { loop, after, failures };
}

test('looks again immediately while there is more, then after the requested delay', async () => {
  const { after } = startLoop(['more', 'more', 50, 50]);
  expect(await after(0)).toBe(3);
  expect(await after(49)).toBe(3);
  expect(await after(1)).toBe(4);
});

test('a hint ends the delay, and many hints cause one look', async () => {
  const { loop, after } = startLoop([50, 50]);
  await after(0);
  for (let hints = 0; hints < 5; hints++) loop.hint();
  expect(await after(0)).toBe(2);
  expect(await after(49)).toBe(2);
});

test('a hint during a look is not lost', async () => {
  const { loop, after } = startLoop([50, 50]);
  loop.hint();
  expect(await after(0)).toBe(2);
});

test('after a failure it waits, and a hint ends that wait only if configured', async () => {
  const patient = startLoop([new Error('down'), new Error('still down'), 50]);
  expect(await patient.after(0)).toBe(1);
  patient.loop.hint();
  expect(await patient.after(99)).toBe(1);
  expect(await patient.after(1)).toBe(2);
  expect(await patient.after(200)).toBe(3);
  expect(patient.failures).toEqual([new Error('down'), new Error('still down')]);

  const eager = startLoop([new Error('down'), 50], { hintsEndFailure: true });
  await eager.after(0);
  eager.loop.hint();
  expect(await eager.after(0)).toBe(2);
});

test('caughtUp resolves when a later look finds nothing left, and never because of a failure', async () => {
  const { loop, after } = startLoop([50, 'more', new Error('down'), 50]);
  await after(0);
  let isCaughtUp = false;
  void loop.caughtUp().then(() => {
    isCaughtUp = true;
  });
  expect(await after(99)).toBe(3);
  expect(isCaughtUp).toBe(false);
  expect(await after(1)).toBe(4);
  expect(isCaughtUp).toBe(true);
});

test('hints within gatherMs cause one look, and caughtUp does not wait for it', async () => {
  const { loop, after } = startLoop([50, 50, 50], { gatherMs: 20 });
  await after(0);
  loop.hint();
  expect(await after(19)).toBe(1);
  expect(await after(1)).toBe(2);
  loop.hint();
  await after(5);
  void loop.caughtUp();
  expect(await after(0)).toBe(3);
});

test('stopping ends every wait and resolves caughtUp', async () => {
  for (const results of [[Number.POSITIVE_INFINITY], [new Error('down')]]) {
    const { loop, after } = startLoop(results);
    await after(0);
    const waiting = loop.caughtUp();
    await Promise.all([loop.stop(), after(0)]);
    await waiting;
    expect(await after(1_000)).toBeLessThanOrEqual(2);
    await loop.caughtUp();
  }
});
