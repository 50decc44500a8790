// Computes precision and recall, and samples a set evenly.
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

/** Null if the whole is empty. */
export const shareOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : part / whole;

/** Takes this many, evenly spread: the first items of a set are rarely typical. */
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
