// Vectors, put together for one account: the follower that makes them behind the index of words, and whoever
// asks what is near a text.
import type { Log } from '@relay/core/log';
import type { Embedder, EmbedderSource } from '@relay/core/ports/embedder';
import { chanceOf } from '@relay/core/search/meaning';
import type { Reader } from '../../store/database.ts';
import type { Lease } from '../../store/lease.ts';
import { Crowd } from './crowd.ts';
import { Follower } from './follower.ts';
import { Indexes } from './indexes.ts';
import { embeddable } from './text.ts';
import type { Near, NearestOptions } from './vector-index.ts';

export interface OpenVectorsOptions {
  readonly db: Reader;
  readonly lease: Lease;
  readonly log: Log;
  readonly now: () => Date;
  readonly source: EmbedderSource;
}

export interface Vectors {
  readonly follower: Follower;
  readonly indexes: Indexes;
  /** Null while memory works by words alone, and when the model does not answer in time. */
  nearest(text: string, options: NearestOptions): Promise<readonly Near[] | null>;
  /** The same, and how near the text is to anything by chance. Its bounds are asked for only where it matters. */
  nearness(text: string, within: () => Promise<NearestOptions>): Promise<Nearness | null>;
}

export interface Nearness {
  readonly near: readonly Near[];
  readonly chance: number;
}

/** Whoever searches does not wait longer for a model; words alone find something too. */
const PATIENCE_MS = 2_000;
/** A model that did not answer is not asked by the next searches. */
const REST_MS = 15_000;

export function openVectors(options: OpenVectorsOptions): Vectors {
  const { db, lease, log, source } = options;
  const indexes = new Indexes(db, lease.account, log);
  const follower = new Follower({ ...options, indexes });
  const crowd = new Crowd();
  let restsUntil = 0;

  async function embed(embedder: Embedder, text: string): Promise<Float32Array | null> {
    if (performance.now() < restsUntil) return null;
    try {
      const [vector] = await embedder.embed([text], AbortSignal.timeout(PATIENCE_MS));
      return vector ?? null;
    } catch (error) {
      restsUntil = performance.now() + REST_MS;
      log.warn('searched by words alone', { error });
      return null;
    }
  }

  /** Null while memory works by words alone; nothing is near what the model cannot read. */
  async function find(text: string, within: () => Promise<NearestOptions>) {
    const embedder = await source();
    if (embedder === null) return null;
    const words = embeddable(text, embedder.reads);
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
    async nearness(text, within) {
      const found = await find(text, within);
      if (found === null || found.vector === null) return null;
      const others = await crowd.of(found.embedder, PATIENCE_MS);
      return others && { near: found.near, chance: chanceOf(found.vector, others) };
    },
  };
}
