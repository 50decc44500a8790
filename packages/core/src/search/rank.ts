// In which order messages answer a question: by how much of it they have, in words and in meaning, and by their age
// where that is much the same; and whether the best of them answers it at all. Pure; the index says which words each
// has and how often each word occurs. What the figures were fitted to stands in decision 0054.
import type { TimeSpan } from './times.ts';

export interface SearchCandidate<Id> {
  readonly id: Id;
  readonly at: Date;
  /** Which words of the question it has. */
  readonly has: readonly number[];
  /** Of which it has one that begins alike. */
  readonly near: readonly number[];
  /** Whoever the question names wrote it, or it was written to them. */
  readonly named: boolean;
  /** How much nearer in meaning than by chance; below 0 where nothing is known of it. */
  readonly beyondChance: number;
  /** What that is worth, from 0 to 1. */
  readonly meaning: number;
  /** It sums up what others say. */
  readonly digest: boolean;
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

interface RankingQuestion {
  readonly words: readonly AskedWord[];
  /** How many messages there are. */
  readonly documents: number;
  readonly now: Date;
  /** When it may have been said. */
  readonly around: TimeSpan | null;
}

export interface RankedCandidate<Id> {
  readonly id: Id;
  readonly score: number;
  /** How much it is about the question, whatever its age. */
  readonly about: number;
  /** How much of what was asked it has, from 0 to 1: a rare word counts more than a common one. */
  readonly covers: number;
  /** It has enough of the question to be about it, and not only to share a word with it. */
  readonly sure: boolean;
}

/** A word that only begins alike. */
const ALIKE = 0.9;
/** At most: whoever is named writes about many things. */
const NAME = 4;
/** So much of a question is met by chance. */
const BY_CHANCE = 0.15;
/** All of the meaning, beside all of the words. */
const MEANING = 0.8;
/** Whoever has this much of the words, or is nearer by this much, is about it. */
const SURE_BY_WORDS = 0.4;
const SURE_BY_MEANING = 0.2;
/** The worth of a message halves in this time; of what is said about a person so much always stays. */
const HALF_LIFE_DAYS = 30;
const EVERGREEN = 0.3;
/** Messages are ranked by how much they are about a question in steps of this size, and within one by score. */
const STEP = 1 / 3;
/** What lies in the time that may be meant, however old. */
const AROUND = 1.5;
/** A digest has a word of everything; the message that says it goes before it. */
const DIGEST = 0.7;
const DAY = 86_400_000;

/** How much it says that a message has the word. */
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
    const covers = asked === 0 ? 0 : found / asked;
    const byWords = Math.max(0, (covers - BY_CHANCE) / (1 - BY_CHANCE));
    const about = (byWords + MEANING * meaning) * (digest ? DIGEST : 1);
    const evergreen = named || weights.some(({ name }, n) => name && has.includes(n));
    const score = about * (isWithin(at, around) ? AROUND : freshness(at, now, evergreen));
    const sure = covers >= SURE_BY_WORDS || beyondChance >= SURE_BY_MEANING;
    return { id, score, about, covers, sure, at: at.getTime() };
  });
  ranked.sort(
    (a, b) =>
      Number(b.sure) - Number(a.sure) ||
      stepOf(b.about) - stepOf(a.about) ||
      b.score - a.score ||
      b.covers - a.covers ||
      b.at - a.at,
  );
  return ranked.map(({ at: _, ...rest }) => rest);
}

/**
 * Age decides among messages that are about as much about the question: it lifts none above them that only shares a
 * word with it, and does not bury the only answer.
 */
const stepOf = (about: number): number => Math.round(about / STEP);

export function freshness(at: Date, now: Date, evergreen: boolean): number {
  const days = Math.max(0, now.getTime() - at.getTime()) / DAY;
  return Math.max(2 ** (-days / HALF_LIFE_DAYS), evergreen ? EVERGREEN : 0);
}

const isWithin = (at: Date, span: TimeSpan | null): boolean =>
  span !== null && at >= span.from && at < span.to;

// How much of the matter of a question a message has, by its vector: from 0 to 1, so that it can be weighed
// against words. Models differ in what they call near, and so do the languages one model reads: near is only
// what is nearer than small talk is to the question, and what is said again and again says less.

/** So much nearer than by chance is as near as it gets. */
const FULLY = 0.35;
/** A message that others repeat word for word must be nearer by this much. */
const REPEATED = 0.2;
/** How many of the crowd stand for chance: those of the question's own language, mostly. */
const NEAREST_OF_CROWD = 10;
const NEAREST_OF_LIKE = 3;

export const meaningScore = (beyondChance: number, repeated: number): number =>
  Math.min(1, Math.max(0, (beyondChance - REPEATED * repeated) / FULLY));

/** How near the question is to the nearest of the crowd. */
export function chanceSimilarity(question: Float32Array, crowd: readonly Float32Array[]): number {
  const near = crowd.map((vector) => cosine(question, vector)).sort((a, b) => b - a);
  return mean(near.slice(0, NEAREST_OF_CROWD));
}

/** For each of the texts, how like the others the likest of them are, from 0 to 1, by their words. */
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

/** A square of how many words each two share. By word, because most pairs share none. */
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

/** Of two vectors of length 1. */
function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let n = 0; n < a.length; n++) sum += (a[n] ?? 0) * (b[n] ?? 0);
  return sum;
}

const mean = (list: readonly number[]): number =>
  list.length === 0 ? 0 : list.reduce((sum, each) => sum + each, 0) / list.length;
