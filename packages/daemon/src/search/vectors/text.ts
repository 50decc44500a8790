// What a model is given of a text: the words, without what has none, and no more than it would read.
import type { Embedder } from '@relay/core/ports/embedder';

/** Small models read some 250 words; what a message is about, it says before that. */
const MOST_CHARACTERS = 2_000;

/** Null: there is nothing in it that could mean something to a model that reads so much. */
export function embeddable(text: string, reads: Embedder['reads'] = 'all'): string | null {
  const words = text
    .slice(0, 4 * MOST_CHARACTERS)
    .toWellFormed()
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N}\p{P}\p{Sc}\p{Sm}\s]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (!/[\p{L}\p{N}]/u.test(words) || (reads === 'latin' && !isLatin(words))) return null;
  return words.slice(0, MOST_CHARACTERS).toWellFormed();
}

/** To a model that does not know a script, all texts in it are the same. */
function isLatin(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  return 2 * letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length >= letters.length;
}
