import fc from 'fast-check';
import { expect, test } from 'vitest';
import { INSTANCE_STATES, isTerminal } from './states.ts';
import { statesOf, TURN_STATES, TURNS, turnOf } from './turns.ts';

test('every state belongs to exactly one turn', () => {
  expect(TURNS.flatMap(statesOf).sort()).toEqual([...INSTANCE_STATES].sort());
});

test('a state is found under the turn it has', () => {
  fc.assert(
    fc.property(fc.constantFrom(...INSTANCE_STATES), (state) => {
      expect(statesOf(turnOf(state, false))).toContain(state);
    }),
  );
});

test('whatever holds an approval is yours', () => {
  fc.assert(
    fc.property(fc.constantFrom(...INSTANCE_STATES), (state) => {
      expect(turnOf(state, true)).toBe('you');
    }),
  );
});

test('the agent has the turn exactly where it has something to do', () => {
  expect([...statesOf('agent')].sort()).toEqual([...TURN_STATES].sort());
});

test('what ended, and nothing else, stands under ended', () => {
  expect(statesOf('ended').every(isTerminal)).toBe(true);
  expect(statesOf('ended')).toHaveLength(INSTANCE_STATES.filter(isTerminal).length);
});
