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

it.each(['transcript', 'picture_text', 'document_text'] as const)(
  'stops attacks that a file carries as %s, one of every goal',
  { timeout: 600_000 },
  async (field) => {
    const report = await tortureAttacks({
      ...{ only: [], field, limit: 15, harmless: 5, randomCalls: 0, seed: 20_261_115 },
    });
    expect(report).toMatchObject({ attacks: 15, harmless: { said: 5 }, faults: [] });
  },
);
