import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRefresher } from './refresher.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A cache in which each refetch round takes a second. */
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

test('refetches each noun once for a burst of events', async () => {
  const { asked, refresher } = slowCache();
  for (let n = 0; n < 200; n += 1) refresher.invalidate(['status', 'messages']);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked.sort()).toEqual(['messages', 'status']);
});

test('refetches what changes during a round in the next round, one round at a time', async () => {
  const { asked, refresher } = slowCache();
  refresher.invalidate(['status']);
  await vi.advanceTimersByTimeAsync(500);
  refresher.invalidate(['status']);
  refresher.invalidate(['approvals']);
  await vi.advanceTimersByTimeAsync(400);
  expect(asked).toEqual(['status']);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toEqual(['status', 'status', 'approvals']);
});

test('limits continuous events to one round per second', async () => {
  let rounds = 0;
  const refresher = createRefresher({
    invalidateQueries: async () => {
      rounds += 1;
    },
  });
  for (let n = 0; n < 200; n += 1) {
    refresher.invalidate(['status']);
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(rounds).toBe(10);
});

test('refetches everything shown with one request', async () => {
  const { asked, refresher } = slowCache();
  refresher.invalidate(['status']);
  refresher.invalidateAll();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked).toEqual(['everything']);
});

test('refetches nothing while the page is hidden and everything once afterwards', async () => {
  const asked: unknown[] = [];
  const { promise: seen, resolve: look } = Promise.withResolvers<void>();
  const refresher = createRefresher(
    {
      invalidateQueries: async (filters?: { queryKey?: readonly unknown[] }) =>
        void asked.push(filters?.queryKey?.[0]),
    },
    () => seen,
  );
  refresher.invalidate(['status']);
  await vi.advanceTimersByTimeAsync(60_000);
  refresher.invalidate(['status', 'approvals']);
  expect(asked).toEqual([]);
  look();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toEqual(['status', 'approvals']);
});

test('runs the next round after a failed one', async () => {
  let calls = 0;
  const refresher = createRefresher({
    invalidateQueries: async () => {
      calls += 1;
      throw new Error('away');
    },
  });
  refresher.invalidate(['status']);
  await vi.advanceTimersByTimeAsync(1_000);
  refresher.invalidate(['status']);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(calls).toBe(2);
});
