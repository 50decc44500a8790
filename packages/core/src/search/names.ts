// Which words of a question are names, and whose. A name is any word of what somebody is called; several
// people may share it, and then all of them are meant.
import { isStopWord } from './stop-words.ts';
import { wordsOf } from './words.ts';

export interface Called<Id> {
  readonly id: Id;
  readonly names: readonly string[];
}

export interface Meant<Id> {
  readonly ids: readonly Id[];
  /** The words that named them. */
  readonly words: ReadonlySet<string>;
}

export function whoIsMeant<Id>(words: readonly string[], people: readonly Called<Id>[]): Meant<Id> {
  const asked = new Set(words);
  const found = new Set<string>();
  const ids = people.flatMap(({ id, names }) => {
    const shared = names.flatMap(nameWords).filter((word) => asked.has(word));
    for (const word of shared) found.add(word);
    return shared.length > 0 ? [id] : [];
  });
  return { ids, words: found };
}

/** The people whose name has every word of what is given: for whoever names one person or chat. */
export function calledLike<Id>(name: string, people: readonly Called<Id>[]): readonly Id[] {
  const wanted = nameWords(name);
  if (wanted.length === 0) return [];
  const whole = people.filter(({ names }) =>
    names.some((each) => sameWords(nameWords(each), wanted)),
  );
  const found = whole.length > 0 ? whole : people.filter((person) => hasAll(person, wanted));
  return found.map(({ id }) => id);
}

const sameWords = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, n) => word === b[n]);

const hasAll = ({ names }: Called<unknown>, wanted: readonly string[]): boolean =>
  names.some((name) => {
    const words = new Set(nameWords(name));
    return wanted.every((word) => words.has(word));
  });

/** Names come again with every question. */
const known = new Map<string, readonly string[]>();
const MOST_KNOWN = 20_000;

function nameWords(name: string): readonly string[] {
  const before = known.get(name);
  if (before !== undefined) return before;
  const plain = wordsOf(name).flatMap(({ term, plain }) =>
    plain && !isStopWord(term) ? [term] : [],
  );
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(name, plain);
  return plain;
}
