import { expect, test } from 'vitest';
import { tortureForget } from './forget.ts';

test('leaves no byte of forgotten people although the database is killed meanwhile', {
  timeout: 300_000,
}, async () => {
  const report = await tortureForget({ people: 6, messages: 5_000, kills: 1, seed: 7 });
  expect(report).toMatchObject({ forgotten: 3, kills: 1, filesAfter: 0, faults: [] });
  expect(report.filesBefore).toBeGreaterThan(10);
});
