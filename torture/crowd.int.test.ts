// The short form of `npm run torture -- crowd`: the same, fewer people and a quicker model.
import { expect, it } from 'vitest';
import { tortureCrowd } from './crowd.ts';

it('answers everybody once and in order over a kill in the middle', {
  timeout: 600_000,
}, async () => {
  const report = await tortureCrowd({ contacts: 50, modelMs: 500 });
  expect(report).toMatchObject({ contacts: 50, messages: 70, faults: [] });
});
