// How many conversations there are of each state, folded into whose turn it is. Pure; every state and turn is told,
// with zero where there is none.
import type { InstanceCounts } from '../api/instances.ts';
import { INSTANCE_STATES, type InstanceState } from './states.ts';
import { TURNS, type Turn, turnOf } from './turns.ts';

interface Counted {
  readonly state: InstanceState;
  readonly n: number;
  /** Of these, how many hold an approval. */
  readonly holding: number;
}

export function countTurns(counted: readonly Counted[]): InstanceCounts {
  const by_state = zeros<InstanceState>(INSTANCE_STATES);
  const by_turn = zeros<Turn>(TURNS);
  let holding_approval = 0;
  for (const { state, n, holding } of counted) {
    by_state[state] += n;
    by_turn[turnOf(state, false)] += n - holding;
    by_turn[turnOf(state, true)] += holding;
    holding_approval += holding;
  }
  return { by_state, by_turn, holding_approval };
}

const zeros = <Key extends string>(keys: readonly Key[]): Record<Key, number> =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>;
