// The short form of `npm run torture -- loops`: six hours, with limits that are reached within them.
import { expect, it } from 'vitest';
import { tortureLoops } from './loops.ts';

it('two Relays that answer each other stop, and each owner is notified once', {
  timeout: 600_000,
}, async () => {
  const limits = {
    answers_per_hour: 12,
    answers_per_day: 25,
    rapid_exchanges: 6,
    similar_exchanges: 3,
    rest_minutes: [30, 60, 120],
  };
  const report = await tortureLoops({ hours: 6, limits });
  expect(report).toMatchObject({ hours: 6, kicks: 24, faults: [] });
  expect(report.sides.map(({ told }) => told)).toEqual([1, 1]);
});
