// Computes embeddings without a model: hashed character n-grams, so texts that share letters are close. Invariant: the
// same text gives the same unit vector, on every machine and in every run.
import { countTokens } from './responses.ts';
import type { EmbeddingsRequest } from './schemas.ts';

const DIMENSIONS = 256;
const GRAMS = [2, 3, 4];

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}

export function embed(text: string, dimensions = DIMENSIONS): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  const padded = ` ${text.normalize('NFKC').toLowerCase()} `;
  for (const size of GRAMS) {
    for (let start = 0; start + size <= padded.length; start += 1) {
      const at = hash(padded.slice(start, start + size)) % dimensions;
      vector[at] = (vector[at] ?? 0) + 1;
    }
  }
  const length = Math.hypot(...vector);
  // The empty text has no n-gram, and a client divides by the length.
  return length === 0 ? vector.fill(1 / Math.sqrt(dimensions)) : vector.map((x) => x / length);
}

/** A list of numbers is one tokenized input; a list of lists is several. */
function texts({ input }: EmbeddingsRequest): string[] {
  if (typeof input === 'string') return [input];
  if (input.every((entry) => typeof entry === 'number')) return [input.join(' ')];
  return input.map((entry) => (Array.isArray(entry) ? entry.join(' ') : String(entry)));
}

export function embeddingsBody(request: EmbeddingsRequest) {
  const inputs = texts(request);
  const prompt = inputs.reduce((sum, text) => sum + countTokens(text), 0);
  const data = inputs.map((text, index) => {
    const vector = embed(text, request.dimensions);
    const base64 = request.encoding_format === 'base64';
    const embedding = base64
      ? Buffer.from(Float32Array.from(vector).buffer).toString('base64')
      : vector;
    return { object: 'embedding', index, embedding };
  });
  return {
    object: 'list',
    data,
    model: request.model,
    usage: { prompt_tokens: prompt, total_tokens: prompt },
  };
}
