// What a model is given of a text: the words, without what has none, and no more than it would read.

/** Small models read some 250 words; what a message is about, it says before that. */
const MOST_CHARACTERS = 2_000;

/** Null: there is nothing in it that could mean something. */
export function embeddable(text: string): string | null {
  const words = text
    .slice(0, 4 * MOST_CHARACTERS)
    .toWellFormed()
    .normalize('NFKC')
    .replace(/[^\p{L}\p{M}\p{N}\p{P}\p{Sc}\p{Sm}\s]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return /[\p{L}\p{N}]/u.test(words) ? words.slice(0, MOST_CHARACTERS).toWellFormed() : null;
}
