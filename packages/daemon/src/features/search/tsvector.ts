// Builds values for PostgreSQL's text search without one of its language configurations: a document's words with their
// positions, and queries for a word and for a phrase. Every word begins with the number of its account: one index serves
// all accounts, and without it a search would read a frequent word's entries of all of them.
import type { AccountId } from '@relay/contract/ids';
import type { IndexedWord } from '@relay/core/search/words';

/** PostgreSQL's highest position; later words share it. */
const LAST_PLACE = 16_383;

const quoted = (term: string): string => `'${term.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

const ownWord = (account: AccountId, term: string): string => `${account}/${term}`;

/** The words of a document as they were indexed. */
export const fromLexemes = (account: AccountId, lexemes: readonly string[]): readonly string[] =>
  lexemes.map((lexeme) => lexeme.slice(ownWord(account, '').length));

/** Words that may be in documents, as the database keeps them. */
export const toLexemes = (account: AccountId, terms: readonly string[]): readonly string[] =>
  terms.map((term) => ownWord(account, term));

export function toTsvector(account: AccountId, words: readonly IndexedWord[]): string {
  const places = new Map<string, number[]>();
  for (const { term, at } of words) {
    const known = places.get(term);
    const place = Math.min(at + 1, LAST_PLACE);
    if (known === undefined) places.set(term, [place]);
    else known.push(place);
  }
  return [...places]
    .map(([term, at]) => `${quoted(ownWord(account, term))}:${at.join(',')}`)
    .join(' ');
}

export const toTsquery = (account: AccountId, term: string): string =>
  quoted(ownWord(account, term));

const LONG = 6;

/** The word itself and, if it is long enough, every word with the same beginning. */
export const toPrefixTsquery = (account: AccountId, term: string): string => {
  const letters = [...term];
  return letters.length >= LONG && /^\p{L}+$/u.test(term)
    ? `${toTsquery(account, letters.slice(0, LONG).join(''))}:*`
    : toTsquery(account, term);
};

/** The words in this order, one right after the other. */
export const toPhraseTsquery = (account: AccountId, terms: readonly string[]): string =>
  terms.map((term) => toTsquery(account, term)).join(' <-> ');
