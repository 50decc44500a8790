import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { LOGINS_PER_SECOND, LoginPace } from './login-pace.ts';

const waits = (pace: LoginPace, count: number, now: number) =>
  Array.from({ length: count }, () => pace.reserve(now));

test('a single account logs in without waiting', () => {
  expect(new LoginPace().reserve(0)).toBe(0);
});

test('a worker never exceeds its own pace, and many workers never exceed the pace of the cell', () => {
  verifies('WORKERS-LOGINS');
  for (const workers of [1, 2, 3, 10]) {
    const all = Array.from({ length: workers }, () => {
      const pace = new LoginPace();
      pace.setWorkers(workers);
      return waits(pace, 200, 0);
    });
    for (const one of all)
      expect(one.filter((ms) => ms >= 1_000 && ms < 2_000).length).toBeLessThanOrEqual(
        LOGINS_PER_SECOND.worker,
      );
    const inOneSecond = all.flat().filter((ms) => ms >= 1_000 && ms < 2_000).length;
    expect(inOneSecond).toBeLessThanOrEqual(LOGINS_PER_SECOND.cell + workers);
  }
});

test('a quiet time saves up no more than a small burst', () => {
  const pace = new LoginPace();
  waits(pace, 10, 0);
  expect(waits(pace, 20, 3_600_000).filter((ms) => ms === 0).length).toBeLessThanOrEqual(5);
});
