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

test('a state is found under the turn it has', () => {
  fc.assert(
    fc.property(fc.constantFrom(...INSTANCE_STATES), (state) => {
      expect(statesOfTurn(whoseTurnIn(state, false))).toContain(state);
    }),
  );
});

test('whatever holds an approval is yours', () => {
  fc.assert(
    fc.property(fc.constantFrom(...INSTANCE_STATES), (state) => {
      expect(whoseTurnIn(state, true)).toBe('you');
    }),
  );
});

test('the agent has the turn exactly where it has something to do', () => {
  expect([...statesOfTurn('agent')].sort()).toEqual([...TURN_STATES].sort());
});

test('what ended, and nothing else, stands under ended', () => {
  expect(statesOfTurn('ended').every(isTerminal)).toBe(true);
  expect(statesOfTurn('ended')).toHaveLength(INSTANCE_STATES.filter(isTerminal).length);
});
