// The short form of `npm run torture -- crowd`: fewer people and a faster model.
import { expect, it } from 'vitest';
import { tortureCrowd } from './crowd.ts';

it('answers everybody once and in order although the daemon is killed midway', {
  timeout: 600_000,
}, async () => {
  const report = await tortureCrowd({ contacts: 50, modelMs: 500 });
  expect(report).toMatchObject({ contacts: 50, messages: 70, faults: [] });
});
