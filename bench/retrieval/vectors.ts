// Creates vectors of texts with the small local model. They are cached in a temporary file by model and text, because a
// history takes minutes and a run of the bench should not.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Embedder } from '@relay/core/ports/embedder';
import { localEmbedder } from '@relay/daemon/models/embed/embedders';

const KEPT = join(tmpdir(), 'relay-bench-vectors.json');
const CALLS_BETWEEN_SAVES = 20;

type Kept = Record<string, string>;

export async function keptEmbedder(): Promise<Embedder> {
  const local = await localEmbedder();
  const kept = await readKept();
  const keyOf = (text: string): string =>
    createHash('sha256').update(`${local.model}\n${text}`).digest('base64url').slice(0, 22);
  let calls = 0;
  return {
    ...local,
    async embed(texts, signal) {
      const missing = [...new Set(texts)].filter((text) => kept[keyOf(text)] === undefined);
      if (missing.length > 0) {
        const vectors = await local.embed(missing, signal);
        for (const [n, text] of missing.entries()) kept[keyOf(text)] = encoded(vectors[n]);
        if (++calls % CALLS_BETWEEN_SAVES === 0) await writeFile(KEPT, JSON.stringify(kept));
      }
      return texts.map((text) => decoded(kept[keyOf(text)] ?? ''));
    },
    async close() {
      if (calls > 0) await writeFile(KEPT, JSON.stringify(kept));
      await local.close?.();
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

const encoded = (vector: Float32Array = new Float32Array()): string =>
  Buffer.from(new Float32Array(vector).buffer).toString('base64');

function decoded(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}
