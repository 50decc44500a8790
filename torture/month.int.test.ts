// Two days of the simulated month, over the night in which London's clocks go back; the month itself is
// `npm run torture -- month`.
import { expect, test } from 'vitest';
import { tortureMonth } from './month.ts';

test('each hour and day is digested once and in time over a change of clocks, and what is old goes', {
  timeout: 600_000,
}, async () => {
  const { faults, days } = await tortureMonth({
    days: 2,
    messages: 160,
    seed: 3,
    from: '2026-10-24',
    keptDays: 1,
  });
  expect(faults).toEqual([]);
  const [, judged] = days;
  expect(judged?.daily).toBe(2);
  expect(judged?.hourly).toBeGreaterThan(20);
  expect(judged?.tokens).toBeGreaterThan(0);
});
