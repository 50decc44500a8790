// What was changed later: a message is overtaken by a later one of the same chat that says that something has
// changed and is about the same things. Pure; which ones are later, and say so, the index knows.
import { isChangeWord } from './change-words.ts';
import { isStopWord } from './stop-words.ts';

export interface Later<Id> {
  readonly id: Id;
  readonly at: Date;
  readonly words: readonly string[];
}

/** With one thing in common two messages may still be about two matters. */
const IN_COMMON = 2;

/** Of the later ones the one that has most in common with it; of equals the last. Null if none has enough. */
export function overtaking<Id>(
  words: readonly string[],
  later: readonly Later<Id>[],
): Later<Id> | null {
  const matter = new Set(words.filter(isAbout));
  let best: Later<Id> | null = null;
  let most = IN_COMMON;
  for (const each of later) {
    const shared = new Set(each.words.filter((word) => matter.has(word))).size;
    if (shared < most || (shared === most && best !== null && each.at < best.at)) continue;
    best = each;
    most = shared;
  }
  return best;
}

/** Single characters are parts of words where a word has several. */
const isAbout = (word: string): boolean =>
  [...word].length > 1 && !isStopWord(word) && !isChangeWord(word);
