// In which order messages answer a question: BM25 over the words they share, newer before older. Pure; the
// index says which words each candidate has and how often each word occurs. The figures below are those that
// measured best (`npm run bench -- retrieval`).
import type { Span } from './times.ts';

export interface Candidate<Id> {
  readonly id: Id;
  readonly at: Date;
  /** How many words it has. */
  readonly length: number;
  /** Which words of the question it has. */
  readonly has: readonly number[];
  /** Of which it has one that begins alike. */
  readonly near: readonly number[];
  /** Whoever the question names wrote it, or it was written to them. */
  readonly named: boolean;
}

/** One word of a question. */
export interface AskedWord {
  /** In how many messages it occurs. */
  readonly exactly: number;
  /** And with those in which one occurs that begins alike. */
  readonly alike: number;
  /** It is somebody's name. */
  readonly name: boolean;
}

export interface Asked {
  readonly words: readonly AskedWord[];
  /** How many messages there are. */
  readonly documents: number;
  readonly now: Date;
  /** When it may have been said. */
  readonly around: Span | null;
}

export interface Ranked<Id> {
  readonly id: Id;
  readonly score: number;
  /** How much of what was asked it has, from 0 to 1: a rare word counts more than a common one. */
  readonly covers: number;
}

const SATURATION = 1.2;
const LENGTH_COUNTS = 0.2;
const USUAL_LENGTH = 10;
/** A word that only begins alike. */
const ALIKE = 0.9;
/** At most: whoever is named writes about many things. */
const NAME = 6;
/** A message of today counts this much more than one of long ago, half of it after `FRESH_DAYS`. */
const FRESHNESS = 0.5;
const FRESH_DAYS = 200;
const AROUND = 0.5;
const DAY = 86_400_000;

/** How much it says that a message has the word. */
const weightOf = (documents: number, having: number): number =>
  Math.log(1 + (Math.max(documents, having) - having + 0.5) / (having + 0.5));

export function rank<Id>(
  candidates: readonly Candidate<Id>[],
  { words, documents, now, around }: Asked,
): readonly Ranked<Id>[] {
  const weights = words.map(({ exactly, alike, name }) => {
    const whole = Math.min(weightOf(documents, exactly), name ? NAME : Number.POSITIVE_INFINITY);
    return { whole, alike: Math.min(ALIKE * weightOf(documents, alike), whole), name };
  });
  const asked = weights.reduce((sum, { whole }) => sum + whole, 0);
  const ranked = candidates.map((candidate) => {
    const { id, at, length, has, near, named } = candidate;
    const found = weights.reduce((sum, { whole, alike, name }, n) => {
      if (has.includes(n) || (name && named)) return sum + whole;
      return near.includes(n) ? sum + alike : sum;
    }, 0);
    const score = found * brevity(length) * freshness(at, now) * timeliness(at, around);
    return { id, score, covers: asked === 0 ? 0 : found / asked, at: at.getTime() };
  });
  ranked.sort((a, b) => b.score - a.score || b.at - a.at);
  return ranked.map(({ id, score, covers }) => ({ id, score, covers }));
}

const brevity = (length: number): number =>
  (SATURATION + 1) /
  (1 + SATURATION * (1 - LENGTH_COUNTS + (LENGTH_COUNTS * length) / USUAL_LENGTH));

function freshness(at: Date, now: Date): number {
  const days = Math.max(0, now.getTime() - at.getTime()) / DAY;
  return 1 + FRESHNESS * 2 ** (-days / FRESH_DAYS);
}

const timeliness = (at: Date, around: Span | null): number =>
  around !== null && at >= around.from && at < around.to ? 1 + AROUND : 1;
