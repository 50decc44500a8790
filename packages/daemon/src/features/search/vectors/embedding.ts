// Vectors for texts that somebody else wrote: one that a model will not take must not keep the others waiting.
import { RelayError } from '@relay/contract/errors';
import type { Embedder } from '@relay/core/ports/embedder';

/** Null for a text that the model refuses while it takes others. */
export async function embedEach(
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly (Float32Array | null)[]> {
  try {
    return await embedder.embed(texts, signal);
  } catch (error) {
    if (!isRefusal(error) || texts.length === 1) throw error;
    const vectors: (Float32Array | null)[] = [];
    for (const text of texts) {
      const [vector] = await embedder.embed([text], signal).catch((refused: unknown) => {
        if (!isRefusal(refused)) throw refused;
        return [null];
      });
      vectors.push(vector ?? null);
    }
    if (vectors.every((vector) => vector === null)) throw error;
    return vectors;
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof RelayError && error.code === 'embeddings_refused';

// What a model is given of a text: the words, without what has none, and no more than it would read.

/** Small models read some 250 words; what a message is about, it says before that. */
const MOST_CHARACTERS = 2_000;

/** Null: there is nothing in it that could mean something to a model that reads so much. */
export function toEmbeddableText(text: string, reads: Embedder['reads'] = 'all'): string | null {
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
