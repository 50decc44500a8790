import { describe, expect, test } from 'vitest';
import { joinCalls } from './batch.ts';

const doubled = (items: readonly number[]) => items.map((item) => item * 2);

describe('joining calls', () => {
  test('runs calls of the same moment together, and those that come meanwhile after them', async () => {
    const runs: (readonly number[])[] = [];
    const first = Promise.withResolvers<void>();
    const call = joinCalls<number, number>({
      run: async (items) => {
        runs.push(items);
        if (runs.length === 1) await first.promise;
        return doubled(items);
      },
      gatherMs: () => 0,
    });
    const early = [call(1), call(2)];
    while (runs.length === 0) await new Promise(setImmediate);
    const late = [call(3), call(4), call(5)];
    first.resolve();
    expect(await Promise.all([...early, ...late])).toEqual([2, 4, 6, 8, 10]);
    expect(runs).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    expect(await call(6)).toBe(12);
  });

  test('fails only the call that cannot succeed', async () => {
    const call = joinCalls<number, number>({
      run: async (items) => {
        if (items.includes(2)) throw new Error('two');
        return doubled(items);
      },
      gatherMs: () => 0,
    });
    const settled = await Promise.allSettled([call(1), call(2), call(3)]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await call(4)).toBe(8);
  });
});
