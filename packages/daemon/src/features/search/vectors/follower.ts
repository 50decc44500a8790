// Follows the index of words and gives its documents vectors, for as long as the daemon runs and the owner
// wants any, in small batches. Its position is in the database, so a restart continues there; a model that does not
// answer is asked again with growing delays.
import type { Log } from '@relay/core/log';
import type { Embedder, EmbedderSource } from '@relay/core/ports/embedder';
import { delayFor, RETRY } from '@relay/core/retry';
import type { Db } from '../../../platform/db/database.ts';
import type { Lease } from '../../../platform/db/lease.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { type NextLook, PollLoop } from '../../../platform/poll-loop.ts';
import { waitForOlderTransactions } from '../indexer.ts';
import { embedEach, toEmbeddableText } from './embedding.ts';
import type { VectorIndexes } from './indexes.ts';
import {
  newestDocumentId,
  nextDocumentBatch,
  readSeenRange,
  removeOtherModels,
  storeVectors,
  takeChangedDocuments,
  type UnseenDocument,
  type VectorTable,
} from './sql.ts';
import type { VectorRow } from './vector-index.ts';

interface VectorFollowerOptions {
  readonly db: Db;
  readonly lease: Lease;
  readonly log: Log;
  readonly now: () => Date;
  readonly source: EmbedderSource;
  readonly indexes: VectorIndexes;
}

interface VectorFollowerHealth {
  /** Texts in a second, lately; null before the first. */
  readonly perSecond: number | null;
  readonly failure: { readonly error: unknown; readonly at: Date } | null;
}

const USUAL_BATCH = 16;
const RETRY_MS = 2_000;
/** Documents that come within this time form one batch. */
const GATHER_MS = 500;
/** Somebody turns it on, and says so; or writes it into the file. */
const OFF_MS = 300_000;
/** How much the last batch says about the rate. */
const RATE_SMOOTHING = 0.2;

export class VectorFollower {
  readonly #options: VectorFollowerOptions;
  readonly #aborting = new AbortController();
  readonly #loop = new PollLoop({
    look: () => this.#look(),
    failed: (error) => this.#failed(error),
    // The owner may just have chosen another model.
    hintsEndFailure: true,
    gatherMs: GATHER_MS,
  });
  #failures = 0;
  #health: VectorFollowerHealth = { perSecond: null, failure: null };

  constructor(options: VectorFollowerOptions) {
    this.#options = options;
  }

  get health(): VectorFollowerHealth {
    return this.#health;
  }

  start(): void {
    this.#loop.start();
  }

  /** Something may have come, or the owner has changed what is wanted. */
  hint(): void {
    this.#loop.hint();
  }

  /** Resolves when every document that is there now has been seen, or nobody wants vectors. */
  caughtUp(): Promise<void> {
    return this.#loop.caughtUp();
  }

  stop(): Promise<void> {
    this.#aborting.abort();
    return this.#loop.stop();
  }

  async #look(): Promise<NextLook> {
    const embedder = await this.#options.source();
    if (embedder === null) return OFF_MS;
    const worked = await this.#follow(embedder);
    this.#failures = 0;
    return worked ? 'more' : Number.POSITIVE_INFINITY;
  }

  #failed(error: unknown): number {
    this.#failures++;
    this.#health = { ...this.#health, failure: { error, at: this.#options.now() } };
    this.#options.log.warn('embedding texts failed; retrying', { error, attempt: this.#failures });
    return delayFor(RETRY.embedding, this.#failures, Math.random()) ?? RETRY_MS;
  }

  async #follow(embedder: Embedder): Promise<boolean> {
    const { db, lease, indexes } = this.#options;
    const stored: VectorTable = { db, account: lease.account, model: embedder };
    const changed = await takeChangedDocuments(stored);
    if (changed.length > 0) {
      await indexes.renew(changed);
      return true;
    }
    const newest = await newestDocumentId(db);
    const stretch = await readSeenRange(stored, newest);
    if (
      newest > stretch.upper &&
      !(await waitForOlderTransactions(db, () => this.#loop.isStopping))
    )
      return true;
    const batch = await nextDocumentBatch(stored, stretch, newest, embedder.atOnce ?? USUAL_BATCH);
    if (batch === null) {
      await (await indexes.of(embedder, embedder.dims))?.maintain?.();
      return removeOtherModels(stored);
    }
    const vectors = await this.#embed(embedder, batch.unseen);
    const index = await indexes.of(embedder, vectors[0]?.vector.length ?? 0);
    const there = await transaction({ db, lease }, async ({ tx }) => {
      const ids = await storeVectors(tx, stored, vectors, batch.upTo);
      const kept = vectors.filter(({ document }) => ids.has(document));
      await index?.store?.(tx, kept);
      return kept;
    });
    index?.add(there);
    return true;
  }

  async #embed(
    embedder: Embedder,
    unseen: readonly UnseenDocument[],
  ): Promise<readonly VectorRow[]> {
    const texts = unseen.flatMap(({ text, ...row }) => {
      const words = text === null ? null : toEmbeddableText(text, embedder.reads);
      return words === null ? [] : [{ row, words }];
    });
    if (texts.length === 0) return [];
    const began = performance.now();
    const vectors = await embedEach(
      embedder,
      texts.map(({ words }) => words),
      this.#aborting.signal,
    );
    const perSecond = (1_000 * texts.length) / (performance.now() - began);
    const before = this.#health.perSecond ?? perSecond;
    this.#health = { perSecond: before + RATE_SMOOTHING * (perSecond - before), failure: null };
    return texts.flatMap(({ row }, n) => {
      const vector = vectors[n] ?? null;
      if (vector === null) return [];
      return [{ ...row, vector: Float16Array.from(vector) }];
    });
  }
}
