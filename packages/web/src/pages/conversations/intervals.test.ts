import { HEARTBEAT_DEFAULTS } from '@relay/contract/api/constants';
import { expect, test } from 'vitest';
import { followUpText, INTERVAL_UNITS, splitInterval } from './draft.ts';

test('a wait is shown in the largest unit that gives a whole number', () => {
  expect(splitInterval(1_800_000)).toEqual({ n: 30, unit: 'minutes' });
  expect(splitInterval(HEARTBEAT_DEFAULTS.interval_ms)).toEqual({ n: 1, unit: 'days' });
  expect(splitInterval(90_000)).toEqual({ n: 90, unit: 'seconds' });
  for (const ms of [1_000, 61_000, 5_400_000, 259_200_000]) {
    const { n, unit } = splitInterval(ms);
    expect(n * INTERVAL_UNITS[unit]).toBe(ms);
  }
});

test('the follow-up text says what happens without a reply', () => {
  expect(followUpText(86_400_000, 1)).toBe(
    'If there is no reply within 1 day, the agent follows up, once. Then the conversation ends.',
  );
  expect(followUpText(7_200_000, 3)).toContain('within 2 hours,');
  expect(followUpText(7_200_000, 3)).toContain('up to 3 times');
  expect(followUpText(1_800_000, 0)).toBe(
    'If there is no reply within 30 minutes, the conversation ends without a follow-up.',
  );
});
