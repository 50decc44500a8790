// The short form of `npm run torture -- week`: a day and a half of a smaller household.
import { verifies } from '@relay/testing/verifies';
import { expect, it } from 'vitest';
import { tortureWeek } from './week.ts';

it('brings every approval to the owner’s own chat and phone, and sends what they approve once', {
  timeout: 900_000,
}, async () => {
  verifies('TRUST-APPROVE-WEEK');
  const report = await tortureWeek({ days: 1, messages: 40, seed: 5 });
  expect(report.faults).toEqual([]);
  expect(report.approvals).toBeGreaterThan(1);
  expect(report.reachedChat).toBe(report.approvals);
  expect(report.reachedPhone).toBe(report.approvals);
});
