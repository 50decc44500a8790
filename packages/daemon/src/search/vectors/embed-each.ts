// Vectors for texts that somebody else wrote: one that a model will not take must not keep the others waiting.
import { RelayError } from '@relay/core/errors';
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
