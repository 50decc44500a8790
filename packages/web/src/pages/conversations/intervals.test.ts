import { HEARTBEAT_DEFAULTS } from '@relay/contract/api/constants';
import { expect, test } from 'vitest';
import { followUpSentence, INTERVAL_UNITS, splitInterval } from './draft.ts';

test('a wait is shown in the largest unit that gives a whole number', () => {
  expect(splitInterval(1_800_000)).toEqual({ n: 30, unit: 'minutes' });
  expect(splitInterval(HEARTBEAT_DEFAULTS.interval_ms)).toEqual({ n: 1, unit: 'days' });
  expect(splitInterval(90_000)).toEqual({ n: 90, unit: 'seconds' });
  for (const ms of [1_000, 61_000, 5_400_000, 259_200_000]) {
    const { n, unit } = splitInterval(ms);
    expect(n * (INTERVAL_UNITS[unit] ?? 0)).toBe(ms);
  }
});

test('one sentence says what happens without an answer', () => {
  expect(followUpSentence(86_400_000, 1)).toBe(
    'If no answer comes within 1 day, it asks again, once. Then it gives up.',
  );
  expect(followUpSentence(1_800_000, 0)).toContain('without asking again');
});
