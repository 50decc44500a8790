// Keys of all accounts of the process, the least recently used leaving first when there are too many bytes.
// Invariant: what is not durable is never evicted, because only the cache has it.

/** Measured: what an entry costs besides its value. */
const ENTRY_BYTES = 240;
const MAX_BYTES = 256 * 1024 * 1024;

interface Entry {
  readonly partition: CachePartition;
  readonly key: string;
  readonly value: unknown;
  readonly bytes: number;
  /** The number of the unit that wrote it; it is pinned until that is durable. */
  readonly unit: number;
  older: Entry | null;
  newer: Entry | null;
}

export class KeyCache {
  readonly #maxBytes: number;
  #bytes = 0;
  #oldest: Entry | null = null;
  #newest: Entry | null = null;

  constructor({ maxBytes = MAX_BYTES }: { maxBytes?: number } = {}) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A part for one account. `durable` tells how many of its units are durable. */
  partition(durable: () => number): CachePartition {
    return new CachePartition(this, durable);
  }

  add(entry: Entry): void {
    this.#bytes += entry.bytes;
    this.#append(entry);
    if (this.#bytes > this.#maxBytes) this.#evict();
  }

  touch(entry: Entry): void {
    if (this.#newest === entry) return;
    this.#unlink(entry);
    this.#append(entry);
  }

  remove(entry: Entry): void {
    this.#bytes -= entry.bytes;
    this.#unlink(entry);
  }

  #append(entry: Entry): void {
    entry.older = this.#newest;
    if (this.#newest) this.#newest.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
  }

  #unlink(entry: Entry): void {
    if (entry.older) entry.older.newer = entry.newer;
    else this.#oldest = entry.newer;
    if (entry.newer) entry.newer.older = entry.older;
    else this.#newest = entry.older;
    entry.older = null;
    entry.newer = null;
  }

  #evict(): void {
    for (let entry = this.#oldest; entry && this.#bytes > this.#maxBytes; ) {
      const { newer } = entry;
      if (entry.unit <= entry.partition.durable()) entry.partition.drop(entry.key);
      entry = newer;
    }
  }
}

export class CachePartition {
  readonly durable: () => number;
  readonly #cache: KeyCache;
  readonly #entries = new Map<string, Entry>();

  constructor(cache: KeyCache, durable: () => number) {
    this.#cache = cache;
    this.durable = durable;
  }

  /** Undefined: not in the cache. Null: known not to exist. */
  get(key: string): unknown {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#cache.touch(entry);
    return entry.value;
  }

  set(key: string, value: unknown, size: number, unit: number): void {
    this.drop(key);
    const bytes = key.length + size + ENTRY_BYTES;
    const entry = { partition: this, key, value, bytes, unit, older: null, newer: null };
    this.#entries.set(key, entry);
    this.#cache.add(entry);
  }

  drop(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#cache.remove(entry);
  }

  clear(): void {
    for (const entry of this.#entries.values()) this.#cache.remove(entry);
    this.#entries.clear();
  }
}
