// The index of the model that is used now. Another model means another index, and the previous one is
// unloaded.
import type { AccountId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import type { Db } from '../../../platform/db/database.ts';
import { MemoryIndex } from './memory-index.ts';
import { findPgvector, type Pgvector, PgvectorIndex } from './pgvector.ts';
import type { ModelName } from './sql.ts';
import type { MaintainedIndex } from './vector-index.ts';

export class VectorIndexes {
  readonly #db: Db;
  readonly #account: AccountId;
  readonly #log: Log;
  #pgvector: Promise<Pgvector | null> | null = null;
  #current: { readonly key: string; readonly index: Promise<MaintainedIndex> } | null = null;

  constructor(db: Db, account: AccountId, log: Log) {
    this.#db = db;
    this.#account = account;
    this.#log = log;
  }

  /** Null while nobody knows how long the model's vectors are. */
  async of({ provider, model }: ModelName, dims: number): Promise<MaintainedIndex | null> {
    if (dims === 0) return null;
    const key = JSON.stringify([provider, model, dims]);
    if (this.#current?.key !== key) {
      const index = this.#open({ provider, model }, dims);
      this.#current = { key, index };
      index.catch(() => {
        this.#current = null;
        this.#pgvector = null;
      });
    }
    return this.#current.index;
  }

  get current(): Promise<MaintainedIndex> | null {
    return this.#current?.index ?? null;
  }

  async renew(documents: readonly number[]): Promise<void> {
    await (await this.current)?.reload(documents);
  }

  async #open(model: ModelName, dims: number): Promise<MaintainedIndex> {
    this.#pgvector ??= findPgvector(this.#db, this.#log);
    const pgvector = await this.#pgvector;
    const stored = { db: this.#db, account: this.#account, model };
    return pgvector === null
      ? new MemoryIndex(stored, dims)
      : new PgvectorIndex(stored, dims, pgvector);
  }
}
