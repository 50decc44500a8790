// What the owner may do with a conversation now, read off the one table: the buttons of a page are these and no
// others, each with the state it leads to. Pure.
import type { EventType } from './events.ts';
import type { InstanceState } from './states.ts';
import { isTerminal } from './states.ts';
import { TABLE } from './table.ts';

/** The owner's events that are asked for, in the order in which they are offered. A takeover happens on a phone. */
export const OWNERS_MOVES = [
  'manual_send',
  'resume',
  'pause',
  'cancel',
] as const satisfies EventType[];
export type OwnersMove = (typeof OWNERS_MOVES)[number];

export interface LegalMove {
  readonly move: OwnersMove;
  /** Where it stands after it; the same state where the move is only taken in. */
  readonly to: InstanceState;
}

/** `previous` is the state that a paused conversation came from, or how one with a late reply had ended. */
export function ownersMoves(
  state: InstanceState,
  previous: InstanceState | null,
): readonly LegalMove[] {
  return OWNERS_MOVES.flatMap((move) => {
    const target = TABLE[state][move];
    if (target === undefined) return [];
    if (target === 'stay') return [{ move, to: state }];
    const isLeftEnded = move === 'cancel' && previous !== null && isTerminal(previous);
    const to = target === 'previous' || isLeftEnded ? (previous ?? 'CREATED') : target;
    return to === 'asked' ? [] : [{ move, to }];
  });
}
