import { expect, test } from 'vitest';
import { ConcurrencyLimit } from './turn.ts';

test('runs at most the given number at once, keeps the order, and frees the place after a failure', async () => {
  const places = new ConcurrencyLimit(2);
  const order: number[] = [];
  let now = 0;
  let most = 0;
  const work = (n: number) =>
    places.run(async () => {
      order.push(n);
      now += 1;
      most = Math.max(most, now);
      await Promise.resolve();
      now -= 1;
      if (n === 1) throw new Error('failed');
      return n;
    });
  const done = await Promise.allSettled([0, 1, 2, 3, 4].map(work));
  expect(done.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
  expect(order).toEqual([0, 1, 2, 3, 4]);
  expect(most).toBe(2);
});
