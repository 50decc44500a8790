// Parses a search query: the significant words, "phrases", and a time if there is one. The current day and the
// searcher's zone are given.
import type { Zone } from '../schedule/zone.ts';
import { findTime, type SpokenTime } from './times.ts';
import { isStopWord, splitIntoWords } from './words.ts';

export interface ParsedQuestion {
  /** Each once, without stop words. */
  readonly terms: readonly string[];
  /** Words that must follow each other directly. */
  readonly phrases: readonly (readonly string[])[];
  readonly time: SpokenTime | null;
  /** The stop words, for queries that look for exactly them. */
  readonly spare: readonly string[];
}

const QUOTED = /["“”„«»]([^"“”„«»]+)["“”„«»]/g;
/** More than a query needs; a whole letter as a query counts by its beginning. */
const MOST_TERMS = 48;

export function parseSearchQuery(text: string, now: Date, zone: Zone): ParsedQuestion {
  const phrases = [...text.matchAll(QUOTED)].map(([, said = '']) => plainWords(said));
  const { time, rest } = findTime(text.replace(QUOTED, ' '), now, zone);
  const all = new Set([...splitIntoWords(rest).map(({ term }) => term), ...phrases.flat()]);
  const terms = [...all].filter((term) => !isStopWord(term)).slice(0, MOST_TERMS);
  const spare = [...all].filter(isStopWord).slice(0, MOST_TERMS);
  return { terms, phrases: phrases.filter(({ length }) => length > 1), time, spare };
}

const plainWords = (text: string): string[] =>
  splitIntoWords(text).flatMap(({ term, plain }) => (plain ? [term] : []));

// Splits a found text into matching pieces and the text between. Joined they are the original text, whatever was folded
// to find it.

export interface HighlightPiece {
  readonly text: string;
  readonly found: boolean;
}

const RUNS = /([\p{L}\p{M}\p{N}]+)/u;

export function highlight(
  text: string,
  question: string,
  now: Date,
  zone: Zone,
): readonly HighlightPiece[] {
  const asked = new Set(parseSearchQuery(question, now, zone).terms);
  return text
    .split(RUNS)
    .map((piece) => ({
      text: piece,
      found: splitIntoWords(piece).some(({ term }) => asked.has(term)),
    }))
    .filter((piece) => piece.text !== '');
}

// Finds the names in a query. A name is any word of a person's name; if several people share it, all of them are meant.

export interface NamedEntry<Id> {
  readonly id: Id;
  readonly names: readonly string[];
}

interface NamedPeople<Id> {
  readonly ids: readonly Id[];
  /** The words that name them. */
  readonly words: ReadonlySet<string>;
}

export function findNamedPeople<Id>(
  words: readonly string[],
  people: readonly NamedEntry<Id>[],
): NamedPeople<Id> {
  const asked = new Set(words);
  const found = new Set<string>();
  const ids = people.flatMap(({ id, names }) => {
    const shared = names.flatMap(nameWords).filter((word) => asked.has(word));
    for (const word of shared) found.add(word);
    return shared.length > 0 ? [id] : [];
  });
  return { ids, words: found };
}

/** Names recur with every query. */
const known = new Map<string, readonly string[]>();
const MOST_KNOWN = 20_000;

function nameWords(name: string): readonly string[] {
  const before = known.get(name);
  if (before !== undefined) return before;
  const plain = splitIntoWords(name).flatMap(({ term, plain }) =>
    plain && !isStopWord(term) ? [term] : [],
  );
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(name, plain);
  return plain;
}
