// Builds values for PostgreSQL's text search without one of its language configurations: a document's words with their
// positions, and queries for a word and for a phrase.
import type { IndexedWord } from '@relay/core/search/words';

/** PostgreSQL's highest position; later words share it. */
const LAST_PLACE = 16_383;

const quoted = (term: string): string => `'${term.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

export function toTsvector(words: readonly IndexedWord[]): string {
  const places = new Map<string, number[]>();
  for (const { term, at } of words) {
    const known = places.get(term);
    const place = Math.min(at + 1, LAST_PLACE);
    if (known === undefined) places.set(term, [place]);
    else known.push(place);
  }
  return [...places].map(([term, at]) => `${quoted(term)}:${at.join(',')}`).join(' ');
}

export const toTsquery = (term: string): string => quoted(term);

const LONG = 6;

/** The word itself and, if it is long enough, every word with the same beginning. */
export const toPrefixTsquery = (term: string): string => {
  const letters = [...term];
  return letters.length >= LONG && /^\p{L}+$/u.test(term)
    ? `${quoted(letters.slice(0, LONG).join(''))}:*`
    : quoted(term);
};

/** The words in this order, one right after the other. */
export const toPhraseTsquery = (terms: readonly string[]): string =>
  terms.map(quoted).join(' <-> ');
