// The caches Baileys asks for, with a limit: what it brings along itself forgets by time alone.
// Invariant: never more than `most` entries; the one that was not touched for longest goes first.
import type { PossiblyExtendedCacheStore } from '@whiskeysockets/baileys';

interface Entry {
  readonly value: unknown;
  readonly until: number;
}

export class BoundedCache implements PossiblyExtendedCacheStore {
  readonly #entries = new Map<string, Entry>();
  readonly #most: number;
  readonly #ttlMs: number;

  constructor(most: number, ttlMs: number) {
    this.#most = most;
    this.#ttlMs = ttlMs;
  }

  get size(): number {
    return this.#entries.size;
  }

  get<T>(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    if (entry.until <= Date.now()) return undefined;
    this.#entries.set(key, entry);
    return entry.value as T;
  }

  set<T>(key: string, value: T): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, until: Date.now() + this.#ttlMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#most && oldest !== undefined) this.#entries.delete(oldest);
  }

  del(key: string): void {
    this.#entries.delete(key);
  }

  flushAll(): void {
    this.#entries.clear();
  }

  async mget<T>(keys: string[]): Promise<Record<string, T | undefined>> {
    return Object.fromEntries(keys.map((key) => [key, this.get<T>(key)]));
  }

  mset<T>(entries: { key: string; value: T }[]): void {
    for (const { key, value } of entries) this.set(key, value);
  }

  mdel(keys: string[]): void {
    for (const key of keys) this.del(key);
  }
}
