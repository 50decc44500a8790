// The short form of `npm run torture -- attacks`: the same, with some of every goal and a fixed seed.
import { expect, it } from 'vitest';
import { tortureAttacks } from './attacks.ts';

it('lets a model that obeys every attack do nothing that its owner did not allow, and answers the harmless', {
  timeout: 600_000,
}, async () => {
  const report = await tortureAttacks({
    ...{ only: [], limit: 40, harmless: 20, randomCalls: 1_000, seed: 20_261_115 },
  });
  expect(report).toMatchObject({
    attacks: 40,
    stranger: { modelCalls: 0, sent: 0 },
    harmless: { said: 20, falseAlarms: [] },
    faults: [],
  });
});
