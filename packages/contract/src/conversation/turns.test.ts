import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  INSTANCE_STATES,
  isTerminal,
  statesOfTurn,
  TURN_STATES,
  TURNS,
  whoseTurnIn,
} from './states.ts';

test('every state belongs to exactly one turn', () => {
  expect(TURNS.flatMap(statesOfTurn).sort()).toEqual([...INSTANCE_STATES].sort());
});

test('lists a state under its turn', () => {
  fc.assert(
    fc.property(fc.constantFrom(...INSTANCE_STATES), (state) => {
      expect(statesOfTurn(whoseTurnIn(state, false))).toContain(state);
    }),
  );
});

test('a conversation with a pending approval is the owner’s turn', () => {
  fc.assert(
    fc.property(fc.constantFrom(...INSTANCE_STATES), (state) => {
      expect(whoseTurnIn(state, true)).toBe('you');
    }),
  );
});

test('it is the agent’s turn exactly in the states with a turn purpose', () => {
  expect([...statesOfTurn('agent')].sort()).toEqual([...TURN_STATES].sort());
});

test('only terminal states are listed under ended', () => {
  expect(statesOfTurn('ended').every(isTerminal)).toBe(true);
  expect(statesOfTurn('ended')).toHaveLength(INSTANCE_STATES.filter(isTerminal).length);
});
