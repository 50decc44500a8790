// In which order messages answer a question: BM25 over the words they share, newer before older. Pure; the
// index says which words each candidate has and how often each word occurs.

export interface Candidate<Id> {
  readonly id: Id;
  readonly at: Date;
  /** How many words it has. */
  readonly length: number;
  /** Which words of the question it has. */
  readonly has: readonly number[];
}

export interface Frequencies {
  /** How many documents there are. */
  readonly documents: number;
  /** In how many of them each word of the question occurs. */
  readonly of: readonly number[];
}

export interface Ranked<Id> {
  readonly id: Id;
  readonly score: number;
  /** How much of what was asked it has, from 0 to 1: a rare word counts more than a common one. */
  readonly covers: number;
}

const SATURATION = 1.2;
const LENGTH_COUNTS = 0.75;
const USUAL_LENGTH = 10;
/** A message of today counts this much more than one of long ago, half of it after `FRESH_DAYS`. */
const FRESHNESS = 0.2;
const FRESH_DAYS = 120;
const DAY = 86_400_000;

/** How much it says that a message has the word. */
export const weightOf = (documents: number, having: number): number =>
  Math.log(1 + (Math.max(documents, having) - having + 0.5) / (having + 0.5));

export function rank<Id>(
  candidates: readonly Candidate<Id>[],
  { documents, of }: Frequencies,
  now: Date,
): readonly Ranked<Id>[] {
  const weights = of.map((having) => weightOf(documents, having));
  const asked = weights.reduce((sum, weight) => sum + weight, 0);
  const ranked = candidates.map((candidate) => {
    const { id, at, length, has } = candidate;
    const found = has.reduce((sum, n) => sum + (weights[n] ?? 0), 0);
    const brevity =
      (SATURATION + 1) /
      (1 + SATURATION * (1 - LENGTH_COUNTS + (LENGTH_COUNTS * length) / USUAL_LENGTH));
    const age = Math.max(0, now.getTime() - at.getTime()) / DAY;
    const score = found * brevity * (1 + FRESHNESS * 2 ** (-age / FRESH_DAYS));
    return { id, score, covers: asked === 0 ? 0 : found / asked, at: at.getTime() };
  });
  ranked.sort((a, b) => b.score - a.score || b.at - a.at);
  return ranked.map(({ id, score, covers }) => ({ id, score, covers }));
}
