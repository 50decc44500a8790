// Ranks messages for a query by shared words and meaning, and by age among similar ones; and decides whether the best
// one answers it at all. The index provides the words of each message and their frequencies. Decision 0035 says what
// the constants were fitted to.
import type { TimeSpan } from './times.ts';

export interface SearchCandidate<Id> {
  readonly id: Id;
  readonly at: Date;
  /** The query's words that it contains. */
  readonly has: readonly number[];
  /** The query's words of which it contains one with the same beginning. */
  readonly near: readonly number[];
  /** Whether a person named in the query wrote it or received it. */
  readonly named: boolean;
  /** How much closer in meaning than by chance; below 0 if unknown. */
  readonly beyondChance: number;
  /** The value of that, from 0 to 1. */
  readonly meaning: number;
  /** Whether it is a digest of other messages. */
  readonly digest: boolean;
}

/** One word of a query. */
export interface AskedWord {
  /** The number of messages that contain it. */
  readonly exactly: number;
  /** The same, including words with the same beginning. */
  readonly alike: number;
  /** Whether it is somebody's name. */
  readonly name: boolean;
}

interface RankingQuestion {
  readonly words: readonly AskedWord[];
  /** The number of messages. */
  readonly documents: number;
  readonly now: Date;
  /** The time in which it may have been said. */
  readonly around: TimeSpan | null;
}

export interface RankedCandidate<Id> {
  readonly id: Id;
  readonly score: number;
  /** The relevance to the query, whatever its age. */
  readonly relevance: number;
  /** The share of the query that it covers, from 0 to 1: a rare word counts more than a common one. */
  readonly coverage: number;
  /** Whether it covers enough of the query to be about it, not just share a word. */
  readonly isSure: boolean;
}

/** The weight of a word with the same beginning. */
const ALIKE = 0.9;
/** The maximum weight of a name: a named person writes about many things. */
const NAME = 4;
/** The share of a query that matches by chance. */
const BY_CHANCE = 0.15;
/** The weight of the whole meaning, relative to all words. */
const MEANING = 0.8;
/** A message that covers this share of the words, or is closer by this much, is about the query. */
const SURE_BY_WORDS = 0.4;
const SURE_BY_MEANING = 0.2;
/** The value of a message halves in this time; for messages about a person this share always remains. */
const HALF_LIFE_DAYS = 30;
const EVERGREEN = 0.3;
/** Messages are ranked by relevance in steps of this size, and within a step by score. */
const STEP = 1 / 3;
/** The factor for a message within the possible time, however old. */
const AROUND = 1.5;
/** The factor for a digest: it mentions everything, so the message itself ranks above it. */
const DIGEST = 0.7;
const DAY = 86_400_000;

/** The weight of a word: how much it says that a message contains it. */
const weightOf = (documents: number, having: number): number =>
  Math.log(1 + (Math.max(documents, having) - having + 0.5) / (having + 0.5));

export function rankCandidates<Id>(
  candidates: readonly SearchCandidate<Id>[],
  { words, documents, now, around }: RankingQuestion,
): readonly RankedCandidate<Id>[] {
  const weights = words.map(({ exactly, alike, name }) => {
    const whole = Math.min(weightOf(documents, exactly), name ? NAME : Number.POSITIVE_INFINITY);
    return { whole, alike: Math.min(ALIKE * weightOf(documents, alike), whole), name };
  });
  const asked = weights.reduce((sum, { whole }) => sum + whole, 0);
  const ranked = candidates.map((candidate) => {
    const { id, at, has, near, named, meaning, beyondChance, digest } = candidate;
    const found = weights.reduce((sum, { whole, alike, name }, n) => {
      if (has.includes(n) || (name && named)) return sum + whole;
      return near.includes(n) ? sum + alike : sum;
    }, 0);
    const coverage = asked === 0 ? 0 : found / asked;
    const byWords = Math.max(0, (coverage - BY_CHANCE) / (1 - BY_CHANCE));
    const relevance = (byWords + MEANING * meaning) * (digest ? DIGEST : 1);
    const evergreen = named || weights.some(({ name }, n) => name && has.includes(n));
    const score = relevance * (isWithin(at, around) ? AROUND : freshness(at, now, evergreen));
    const isSure = coverage >= SURE_BY_WORDS || beyondChance >= SURE_BY_MEANING;
    return { id, score, relevance, coverage, isSure, at: at.getTime() };
  });
  ranked.sort(
    (a, b) =>
      Number(b.isSure) - Number(a.isSure) ||
      stepOf(b.relevance) - stepOf(a.relevance) ||
      b.score - a.score ||
      b.coverage - a.coverage ||
      b.at - a.at,
  );
  return ranked.map(({ at: _, ...rest }) => rest);
}

/**
 * Age only decides among messages of similar relevance: it lifts none that only shares a word above the relevant ones,
 * and does not bury the only answer.
 */
const stepOf = (relevance: number): number => Math.round(relevance / STEP);

export function freshness(at: Date, now: Date, evergreen: boolean): number {
  const days = Math.max(0, now.getTime() - at.getTime()) / DAY;
  return Math.max(2 ** (-days / HALF_LIFE_DAYS), evergreen ? EVERGREEN : 0);
}

const isWithin = (at: Date, span: TimeSpan | null): boolean =>
  span !== null && at >= span.from && at < span.to;

// Computes from vectors how similar a message is to a query, from 0 to 1, comparable with words. Models differ in their
// distances, and so do languages within one model: only what is closer than small talk counts as similar, and repeated
// text counts less.

/** This much closer than by chance is the maximum. */
const FULLY = 0.35;
/** A message that others repeat verbatim must be closer by this much. */
const REPEATED = 0.2;
/** How many of the small-talk texts represent chance: mostly those in the query's language. */
const NEAREST_OF_CROWD = 10;
const NEAREST_OF_LIKE = 3;

export const meaningScore = (beyondChance: number, repeated: number): number =>
  Math.min(1, Math.max(0, (beyondChance - REPEATED * repeated) / FULLY));

/** The similarity of the query to the nearest of the small-talk texts. */
export function chanceSimilarity(question: Float32Array, crowd: readonly Float32Array[]): number {
  const near = crowd.map((vector) => cosine(question, vector)).sort((a, b) => b - a);
  return mean(near.slice(0, NEAREST_OF_CROWD));
}

/** For each text, its word similarity to the most similar others, from 0 to 1. */
export function repetition(texts: readonly ReadonlySet<string>[]): readonly number[] {
  const count = texts.length;
  const shared = sharedWords(texts);
  return texts.map((text, n) => {
    const likeness = texts.map((other, m) => {
      const common = shared[n * count + m] ?? 0;
      return common === 0 ? 0 : common / (text.size + other.size - common);
    });
    const likest = likeness.sort((a, b) => b - a).slice(0, NEAREST_OF_LIKE);
    return likest.reduce((sum, each) => sum + each, 0) / NEAREST_OF_LIKE;
  });
}

/** A matrix of the number of words that each two texts share. Computed by word, because most pairs share none. */
function sharedWords(texts: readonly ReadonlySet<string>[]): Uint16Array {
  const having = new Map<string, number[]>();
  texts.forEach((text, n) => {
    for (const word of text) {
      const others = having.get(word);
      if (others === undefined) having.set(word, [n]);
      else others.push(n);
    }
  });
  const count = texts.length;
  const shared = new Uint16Array(count * count);
  for (const of of having.values()) {
    for (const n of of) {
      for (const m of of) {
        if (n !== m) shared[n * count + m] = (shared[n * count + m] ?? 0) + 1;
      }
    }
  }
  return shared;
}

/** For two vectors of length 1. */
function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let n = 0; n < a.length; n++) sum += (a[n] ?? 0) * (b[n] ?? 0);
  return sum;
}

const mean = (list: readonly number[]): number =>
  list.length === 0 ? 0 : list.reduce((sum, each) => sum + each, 0) / list.length;
