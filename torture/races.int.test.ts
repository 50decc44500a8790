// The short form of `npm run torture -- races`: the same races, fewer orders, a fixed seed.
import { verifies } from '@relay/testing/verifies';
import { expect, it } from 'vitest';
import { tortureRaces } from './races.ts';

it('keeps every guarantee in any order of replies, turns, timers and owner actions', {
  timeout: 300_000,
}, async () => {
  verifies(
    '003-FLOW-SERIAL',
    '003-INV-ONE-ACTIVE',
    '003-INV-PAUSED',
    '003-INV-FOLLOW-UPS',
    '003-INV-STATE-MACHINE',
    '003-INV-TERMINAL',
  );
  const { races, faults } = await tortureRaces({ interleavings: 30, seed: 20_261_115 });
  expect(faults).toEqual([]);
  for (const { interleavings, orders } of Object.values(races)) {
    expect(interleavings).toBe(30);
    expect(orders).toBeGreaterThan(10);
  }
});
