// The short form of `npm run torture -- attacks`: a sample of every goal, with a fixed seed.
import { expect, it } from 'vitest';
import { tortureAttacks } from './attacks.ts';

it('stops a model that obeys every attack, and answers harmless messages', {
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
