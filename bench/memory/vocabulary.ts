// A synthetic language for benchmarks, the same in every run: few words are frequent, most are rare, as in real speech.
// Each word has its own meaning, so that texts with the same words are close to each other.
import type { Embedder } from '@relay/core/ports/embedder';

const WORDS = 20_000;
const PER_MESSAGE = 9;
/** Excludes words that occur in every other message: they are not realistic search terms. */
const COMMON = 100;
const DIMS = 384;

let state = 42;
export function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

const skewed = (): number => Math.floor(WORDS ** random()) - 1;
const asked = (): number => {
  const n = skewed();
  return n < COMMON ? asked() : n;
};

const SYLLABLES = ['ba', 'ke', 'lo', 'mi', 'nu', 'ra', 'se', 'ti', 'vo', 'zu', 'fe', 'go', 'hi'];

/** A unique word for each number. */
export function word(n: number): string {
  let left = n + SYLLABLES.length;
  let made = '';
  while (left > 0) {
    made += SYLLABLES[left % SYLLABLES.length];
    left = Math.floor(left / SYLLABLES.length);
  }
  return made;
}

export const text = (): string =>
  Array.from({ length: PER_MESSAGE }, () => word(skewed())).join(' ');

export const question = (): string => `${word(asked())} ${word(asked())} ${word(asked())}`;

/** A million texts would take a real model eight hours: these vectors are sums of the meanings of their words. */
export function madeUpEmbedder(): Embedder {
  const meanings = new Map<string, Float32Array>();
  const meaning = (of: string): Float32Array => {
    const known = meanings.get(of);
    if (known !== undefined) return known;
    let seed = 7;
    for (const letter of of) seed = Math.imul(seed ^ letter.charCodeAt(0), 0x01000193);
    const made = Float32Array.from({ length: DIMS }, () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return seed / 2 ** 31 - 1;
    });
    meanings.set(of, made);
    return made;
  };
  return {
    provider: 'bench',
    model: 'made-up',
    dims: DIMS,
    atOnce: 500,
    async embed(texts) {
      return texts.map((said) => {
        const vector = new Float32Array(DIMS);
        for (const one of said.split(' ')) {
          const numbers = meaning(one);
          for (let n = 0; n < DIMS; n++) vector[n] = (vector[n] as number) + (numbers[n] as number);
        }
        const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
        return vector.map((value) => value / length);
      });
    },
  };
}
