// Three days of the simulated month, over the night in which London's clocks go back; the whole month is `npm run
// torture -- month`.
import { expect, test } from 'vitest';
import { tortureMonth } from './month.ts';

test('digests each hour and day once and in time over a clock change, and deletes old data', {
  timeout: 600_000,
}, async () => {
  const { faults, days } = await tortureMonth({
    days: 3,
    messages: 120,
    seed: 3,
    from: '2026-10-24',
    keptDays: 2,
  });
  expect(faults).toEqual([]);
  const [, judged] = days;
  expect(judged?.daily).toBe(2);
  expect(judged?.hourly).toBeGreaterThan(20);
  expect(judged?.tokens).toBeGreaterThan(0);
});
