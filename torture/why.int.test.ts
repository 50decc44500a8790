// The short form of `npm run torture -- why`: fewer, with a fixed seed.
import { expect, it } from 'vitest';
import { tortureWhy } from './why.ts';

it('gives one true sentence about every message, whatever its author and outcome', {
  timeout: 600_000,
}, async () => {
  const report = await tortureWhy({ messages: 60, seed: 20_261_115 });
  expect(report).toMatchObject({ messages: 60, faults: [] });
  expect(Object.keys(report.sentences)).not.toContain('other');
});
