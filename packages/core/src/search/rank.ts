// In which order messages answer a question: by how much of it they have, in words and in meaning, and by their age
// where that is much the same; and whether the best of them answers it at all. Pure; the index says which words each
// has and how often each word occurs. What the figures were fitted to stands in decision 0054.
import type { Span } from './times.ts';

export interface Candidate<Id> {
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

const isWithin = (at: Date, span: Span | null): boolean =>
  span !== null && at >= span.from && at < span.to;
