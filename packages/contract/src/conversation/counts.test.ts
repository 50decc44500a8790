import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countByStateAndTurn } from '../api/instances.ts';
import { INSTANCE_STATES, TURNS } from './states.ts';

const counted = fc.uniqueArray(
  fc
    .record({
      state: fc.constantFrom(...INSTANCE_STATES),
      n: fc.nat(10_000),
      part: fc.nat(100),
    })
    .map(({ state, n, part }) => ({ state, n, holding: Math.floor((n * part) / 100) })),
  { selector: ({ state }) => state },
);

test('counts every conversation once by its state and once by its turn', () => {
  fc.assert(
    fc.property(counted, (rows) => {
      const { by_state, by_turn, holding_approval } = countByStateAndTurn(rows);
      const all = rows.reduce((sum, { n }) => sum + n, 0);
      const sum = (counts: Record<string, number>) =>
        Object.values(counts).reduce((a, b) => a + b, 0);
      expect([sum(by_state), sum(by_turn)]).toEqual([all, all]);
      expect(Object.keys(by_turn)).toEqual([...TURNS]);
      expect(Object.keys(by_state)).toEqual([...INSTANCE_STATES]);
      expect(by_turn.you).toBeGreaterThanOrEqual(holding_approval);
    }),
  );
});

test('counts a conversation with a pending approval as the owner’s turn', () => {
  const { by_turn, holding_approval } = countByStateAndTurn([
    { state: 'NEEDS_HUMAN_INTERVENTION', n: 2, holding: 1 },
    { state: 'WAITING_FOR_REPLY', n: 5, holding: 2 },
  ]);
  expect(by_turn).toEqual({ you: 4, agent: 0, them: 3, parked: 0, ended: 0 });
  expect(holding_approval).toBe(3);
});
