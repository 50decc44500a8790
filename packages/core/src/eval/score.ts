// How good a yes-or-no was, and a fair part of a set. Pure.
import type { Score } from '@relay/contract/api/eval';

interface BinaryOutcome {
  readonly should: boolean;
  readonly did: boolean;
}

export function scoreOf(outcomes: readonly BinaryOutcome[]): Score {
  const count = (should: boolean, did: boolean) =>
    outcomes.filter((each) => each.should === should && each.did === did).length;
  const [right, wrong, missed] = [count(true, true), count(false, true), count(true, false)];
  return {
    right,
    wrong,
    missed,
    left_alone: count(false, false),
    precision: shareOf(right, right + wrong),
    recall: shareOf(right, right + missed),
  };
}

/** Null where there is nothing to have a share of. */
export const shareOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : part / whole;

/** So many of them, evenly from all over: the first ones of a set are rarely like the rest. */
export function sampleEvenly<Each>(
  all: readonly Each[],
  most: number | undefined,
): readonly Each[] {
  if (most === undefined || most >= all.length) return all;
  return all.filter(
    (_, place) =>
      Math.floor((place * most) / all.length) !== Math.floor(((place - 1) * most) / all.length),
  );
}
