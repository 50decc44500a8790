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
