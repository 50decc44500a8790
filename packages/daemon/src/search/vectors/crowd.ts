// The crowd as a model sees it, made once for each model: what tells how near things are by chance. Whoever
// asks first waits a moment at most; until it is there, words alone are searched.
import type { Embedder } from '@relay/core/ports/embedder';
import { CROWD } from '@relay/core/search/crowd';
import { embedEach } from './embed-each.ts';
import { embeddable } from './text.ts';

const AT_ONCE = 16;
const MOST_MS = 60_000;

export class Crowd {
  #model = '';
  #vectors: Promise<readonly Float32Array[]> = Promise.resolve([]);

  /** Null when it is not there in time. A failure is tried again by the next question. */
  async of(embedder: Embedder, patienceMs: number): Promise<readonly Float32Array[] | null> {
    const model = `${embedder.provider} ${embedder.model}`;
    if (model !== this.#model) {
      this.#model = model;
      this.#vectors = embedded(embedder).catch(() => {
        this.#model = '';
        return [];
      });
    }
    let timer: NodeJS.Timeout | undefined;
    const impatient = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), patienceMs);
    });
    const vectors = await Promise.race([this.#vectors, impatient]);
    clearTimeout(timer);
    return vectors === null || vectors.length === 0 ? null : vectors;
  }
}

async function embedded(embedder: Embedder): Promise<readonly Float32Array[]> {
  const texts = CROWD.flatMap((text) => embeddable(text, embedder.reads) ?? []);
  const signal = AbortSignal.timeout(MOST_MS);
  const vectors: Float32Array[] = [];
  for (let from = 0; from < texts.length; from += AT_ONCE) {
    const some = await embedEach(embedder, texts.slice(from, from + AT_ONCE), signal);
    vectors.push(...some.flatMap((vector) => vector ?? []));
  }
  return vectors;
}
