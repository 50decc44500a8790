// Keys as they were last published: from the cache, else from the store.
// Invariant: a read never gives what a write since its beginning has replaced.
import type { WireStore } from '@relay/core/ports/wire-store';
import type { CachePartition } from './key-cache.ts';
import { decodeKey, fromCached, type KeyType, KINDS, toCached } from './kinds.ts';

/** A parsed record takes about this many times the room of its bytes. */
const PARSED = 3;

export interface Written {
  readonly type: KeyType;
  readonly id: string;
  /** Null deletes. */
  readonly value: unknown;
  readonly bytes: Uint8Array | null;
}

export const nameOf = (type: KeyType, id: string): string => `${KINDS[type].number} ${id}`;

export class Records {
  readonly #store: WireStore;
  readonly #cache: CachePartition;
  readonly #reading = new Set<Set<string>>();
  /** Written keys that need not be remembered once they are durable. */
  #passing: { name: string; unit: number }[] = [];

  constructor(store: WireStore, cache: CachePartition) {
    this.#store = store;
    this.#cache = cache;
  }

  /** Undefined when there is none. */
  cached(type: KeyType, id: string): { value: unknown } | undefined {
    const cached = this.#cache.get(nameOf(type, id));
    if (cached === undefined) return undefined;
    return { value: cached === null ? undefined : fromCached(type, cached) };
  }

  async read(type: KeyType, ids: readonly string[]): Promise<Map<string, unknown>> {
    const found = new Map<string, unknown>();
    let missing = ids.filter((id) => {
      const hit = this.cached(type, id);
      if (hit?.value !== undefined) found.set(id, hit.value);
      return !hit;
    });
    while (missing.length > 0) missing = await this.#load(type, missing, found);
    return found;
  }

  /** Gives back the ids whose answer was out of date when it came. */
  async #load(type: KeyType, ids: string[], found: Map<string, unknown>): Promise<string[]> {
    const writtenMeanwhile = new Set<string>();
    this.#reading.add(writtenMeanwhile);
    const rows = await this.#store
      .read(KINDS[type].number, ids)
      .finally(() => this.#reading.delete(writtenMeanwhile));
    return ids.filter((id) => {
      const hit = this.cached(type, id);
      if (!hit && writtenMeanwhile.has(nameOf(type, id))) return true;
      const value = hit ? hit.value : this.#remember(type, id, rows.get(id));
      if (value !== undefined) found.set(id, value);
      return false;
    });
  }

  #remember(type: KeyType, id: string, bytes: Uint8Array | undefined): unknown {
    const value = bytes && decodeKey(type, bytes);
    if (!KINDS[type].passing) {
      this.#cache.set(
        nameOf(type, id),
        bytes ? toCached(type, value, bytes) : null,
        size(bytes),
        0,
      );
    }
    return value;
  }

  /** Makes what a unit writes visible to everybody, pinned until the unit is durable. */
  publish(written: Iterable<Written>, unit: number): void {
    for (const { type, id, value, bytes } of written) {
      const name = nameOf(type, id);
      for (const names of this.#reading) names.add(name);
      this.#cache.set(name, bytes ? toCached(type, value, bytes) : null, size(bytes), unit);
      if (KINDS[type].passing) this.#passing.push({ name, unit });
    }
  }

  /** Forgets what need not be remembered, now that these units are durable. */
  settle(durable: number): void {
    if (this.#passing.length === 0) return;
    for (const { name, unit } of this.#passing) if (unit <= durable) this.#cache.drop(name);
    this.#passing = this.#passing.filter(({ unit }) => unit > durable);
  }

  clear(): void {
    this.#cache.clear();
    this.#passing = [];
  }
}

const size = (bytes: Uint8Array | null | undefined) => (bytes ? bytes.byteLength * PARSED : 0);
