// The short form of `npm run torture -- restore`: six restores with kills.
import { expect, it } from 'vitest';
import { tortureRestore } from './restore.ts';

it('a restore that is killed leaves all of the backup or nothing, and the next start says which', {
  timeout: 900_000,
}, async () => {
  const report = await tortureRestore({ rounds: 6, seed: 23 });
  expect(report).toMatchObject({ rounds: 6, half: 0, faults: [] });
  expect(report.restored + report.unchanged).toBe(6);
});
