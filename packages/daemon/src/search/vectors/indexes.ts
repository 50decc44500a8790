// The index of the model that is used now. Another model means another index: what was loaded for the one
// before is let go of.
import type { AccountId } from '@relay/core/ids';
import type { Reader } from '../../store/database.ts';
import { MemoryIndex } from './memory-index.ts';
import type { ModelName } from './stored.ts';
import type { KeptIndex } from './vector-index.ts';

export class Indexes {
  readonly #db: Reader;
  readonly #account: AccountId;
  #current: { readonly key: string; readonly index: Promise<KeptIndex> } | null = null;

  constructor(db: Reader, account: AccountId) {
    this.#db = db;
    this.#account = account;
  }

  /** Null while nobody knows how long the model's vectors are. */
  async of({ provider, model }: ModelName, dims: number): Promise<KeptIndex | null> {
    if (dims === 0) return null;
    const key = JSON.stringify([provider, model, dims]);
    if (this.#current?.key !== key) {
      this.#current = { key, index: this.#open({ provider, model }, dims) };
    }
    return this.#current.index;
  }

  get current(): Promise<KeptIndex> | null {
    return this.#current?.index ?? null;
  }

  async renew(documents: readonly number[]): Promise<void> {
    await (await this.current)?.renew(documents);
  }

  async #open(of: ModelName, dims: number): Promise<KeptIndex> {
    return new MemoryIndex({ db: this.#db, account: this.#account, of }, dims);
  }
}
