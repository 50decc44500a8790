// An embedder without a model, for tests: texts are near when they share words, or words that the test declares to be
// equal. It counts its calls and fails on demand.
import type { Embedder } from '@relay/core/ports/embedder';

const DIMS = 96;

export class WordEmbedder implements Embedder {
  readonly provider = 'test';
  readonly model: string;
  readonly dims = DIMS;
  readonly atOnce = 4;
  readonly asked: string[] = [];
  /** Thrown by the next call. */
  failing: Error | null = null;
  readonly #meaning: Readonly<Record<string, string>>;

  constructor(meaning: Readonly<Record<string, string>> = {}, model = 'words') {
    this.#meaning = meaning;
    this.model = model;
  }

  async embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
    if (this.failing !== null) throw this.failing;
    this.asked.push(...texts);
    return texts.map((text) => this.#vector(text));
  }

  #vector(text: string): Float32Array {
    const vector = new Float32Array(DIMS);
    for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? ['']) {
      const numbers = noise(this.#meaning[word] ?? word);
      for (let n = 0; n < DIMS; n++) vector[n] = (vector[n] ?? 0) + numbers();
    }
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  }
}

/** The same numbers for the same word, around 0. */
function noise(word: string): () => number {
  let state = 7;
  for (const letter of word) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}
