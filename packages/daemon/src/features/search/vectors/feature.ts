// Vectors, put together for one account: the follower that makes them behind the index of words, and whoever
// asks what is near a text.
import type { Log } from '@relay/core/log';
import type { Embedder, EmbedderSource } from '@relay/core/ports/embedder';
import { chanceSimilarity } from '@relay/core/search/rank';
import { SMALL_TALK } from '@relay/core/search/small-talk';
import type { Db } from '../../../platform/db/database.ts';
import type { Lease } from '../../../platform/db/lease.ts';
import { embedEach, toEmbeddableText } from './embedding.ts';
import { VectorFollower } from './follower.ts';
import { VectorIndexes } from './indexes.ts';
import type { NearDocument, NearestOptions } from './vector-index.ts';

interface OpenVectorsOptions {
  readonly db: Db;
  readonly lease: Lease;
  readonly log: Log;
  readonly now: () => Date;
  readonly source: EmbedderSource;
}

export interface Vectors {
  readonly follower: VectorFollower;
  readonly indexes: VectorIndexes;
  /** Null while memory works by words alone, and when the model does not answer in time. */
  nearest(text: string, options: NearestOptions): Promise<readonly NearDocument[] | null>;
  /** The same, and how near the text is to anything by chance. Its bounds are asked for only where it matters. */
  findNearby(text: string, within: () => Promise<NearestOptions>): Promise<NearbyDocuments | null>;
}

export interface NearbyDocuments {
  readonly documents: readonly NearDocument[];
  readonly chance: number;
}

/** Whoever searches does not wait longer for a model; words alone find something too. */
const PATIENCE_MS = 2_000;
/** A model that did not answer is not asked by the next searches. */
const EMBED_COOLDOWN_MS = 15_000;

export function openVectors(options: OpenVectorsOptions): Vectors {
  const { db, lease, log, source } = options;
  const indexes = new VectorIndexes(db, lease.account, log);
  const follower = new VectorFollower({ ...options, indexes });
  const crowd = new BaselineVectors();
  let restsUntil = 0;

  async function embed(embedder: Embedder, text: string): Promise<Float32Array | null> {
    if (performance.now() < restsUntil) return null;
    try {
      const [vector] = await embedder.embed([text], AbortSignal.timeout(PATIENCE_MS));
      return vector ?? null;
    } catch (error) {
      restsUntil = performance.now() + EMBED_COOLDOWN_MS;
      log.warn('search by meaning failed; searching by words only', { error });
      return null;
    }
  }

  /** Null while memory works by words alone; nothing is near what the model cannot read. */
  async function find(text: string, within: () => Promise<NearestOptions>) {
    const embedder = await source();
    if (embedder === null) return null;
    const words = toEmbeddableText(text, embedder.reads);
    if (words === null) return { embedder, vector: null, near: [] };
    const vector = await embed(embedder, words);
    if (vector === null) return null;
    const index = await indexes.of(embedder, vector.length);
    const near = await index?.nearest(vector, await within());
    return near === undefined ? null : { embedder, vector, near };
  }

  return {
    follower,
    indexes,
    nearest: async (text, asked) => (await find(text, async () => asked))?.near ?? null,
    async findNearby(text, within) {
      const found = await find(text, within);
      if (found === null || found.vector === null) return null;
      const others = await crowd.of(found.embedder, PATIENCE_MS);
      return others && { documents: found.near, chance: chanceSimilarity(found.vector, others) };
    },
  };
}

// The crowd as a model sees it, made once for each model: what tells how near things are by chance. Whoever
// asks first waits a moment at most; until it is there, words alone are searched.

const BASELINE_BATCH = 16;
const BASELINE_TIMEOUT_MS = 60_000;

class BaselineVectors {
  #model = '';
  #vectors: Promise<readonly Float32Array[]> = Promise.resolve([]);

  /** Null when it is not there in time. A failure is tried again by the next question. */
  async of(embedder: Embedder, patienceMs: number): Promise<readonly Float32Array[] | null> {
    const model = `${embedder.provider} ${embedder.model}`;
    if (model !== this.#model) {
      this.#model = model;
      this.#vectors = embedBaseline(embedder).catch(() => {
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

async function embedBaseline(embedder: Embedder): Promise<readonly Float32Array[]> {
  const texts = SMALL_TALK.flatMap((text) => toEmbeddableText(text, embedder.reads) ?? []);
  const signal = AbortSignal.timeout(BASELINE_TIMEOUT_MS);
  const vectors: Float32Array[] = [];
  for (let from = 0; from < texts.length; from += BASELINE_BATCH) {
    const some = await embedEach(embedder, texts.slice(from, from + BASELINE_BATCH), signal);
    vectors.push(...some.flatMap((vector) => vector ?? []));
  }
  return vectors;
}
