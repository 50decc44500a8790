import { expect, test, vi } from 'vitest';
import { BoundedCache } from './socket.ts';

test('evicts the least recently used entry when it is full', () => {
  const cache = new BoundedCache(2, 1_000);
  cache.mset([
    { key: 'a', value: 1 },
    { key: 'b', value: 2 },
  ]);
  cache.get('a');
  cache.set('c', 3);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
  expect(cache.size).toBe(2);
});

test('removes expired and deleted entries, and all entries on flush', async () => {
  vi.useFakeTimers();
  const cache = new BoundedCache(10, 1_000);
  cache.set('a', 1);
  vi.advanceTimersByTime(1_000);
  expect(cache.get('a')).toBeUndefined();
  vi.useRealTimers();
  cache.set('b', 2);
  cache.set('c', 3);
  cache.mdel(['b']);
  expect(await cache.mget(['b', 'c'])).toEqual({ b: undefined, c: 3 });
  cache.flushAll();
  expect(cache.size).toBe(0);
});
