import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRefresher } from './refresher.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A cache whose every round takes a second. */
function slowCache() {
  const asked: unknown[] = [];
  const refresher = createRefresher({
    invalidateQueries: async (filters?: { queryKey?: readonly unknown[] }) => {
      asked.push(filters?.queryKey?.[0] ?? 'everything');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    },
  });
  return { asked, refresher };
}

test('a rush of events asks once for each noun', async () => {
  const { asked, refresher } = slowCache();
  for (let n = 0; n < 200; n += 1) refresher.touch(['status', 'messages']);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked.sort()).toEqual(['messages', 'status']);
});

test('what is touched while a round runs is asked for after it, one round at a time', async () => {
  const { asked, refresher } = slowCache();
  refresher.touch(['status']);
  await vi.advanceTimersByTimeAsync(500);
  refresher.touch(['status']);
  refresher.touch(['approvals']);
  await vi.advanceTimersByTimeAsync(400);
  expect(asked).toEqual(['status']);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toEqual(['status', 'status', 'approvals']);
});

test('events that do not end are one round a second', async () => {
  let rounds = 0;
  const refresher = createRefresher({
    invalidateQueries: async () => {
      rounds += 1;
    },
  });
  for (let n = 0; n < 200; n += 1) {
    refresher.touch(['status']);
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(rounds).toBe(10);
});

test('everything is one request for all that is shown', async () => {
  const { asked, refresher } = slowCache();
  refresher.touch(['status']);
  refresher.everything();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toEqual(['everything']);
});

test('nothing is asked for while nobody looks, and once for all of it afterwards', async () => {
  const asked: unknown[] = [];
  const { promise: seen, resolve: look } = Promise.withResolvers<void>();
  const refresher = createRefresher(
    {
      invalidateQueries: async (filters?: { queryKey?: readonly unknown[] }) =>
        void asked.push(filters?.queryKey?.[0]),
    },
    () => seen,
  );
  refresher.touch(['status']);
  await vi.advanceTimersByTimeAsync(60_000);
  refresher.touch(['status', 'approvals']);
  expect(asked).toEqual([]);
  look();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toEqual(['status', 'approvals']);
});

test('a round that fails does not end the next', async () => {
  let calls = 0;
  const refresher = createRefresher({
    invalidateQueries: async () => {
      calls += 1;
      throw new Error('away');
    },
  });
  refresher.touch(['status']);
  await vi.advanceTimersByTimeAsync(1_000);
  refresher.touch(['status']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(calls).toBe(2);
});
