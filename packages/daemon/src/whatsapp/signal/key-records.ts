// Reads keys as they were last published, from the cache or else from the store.
// Invariant: a read never returns what a write since its beginning has replaced.
import { type TransportStore, TransportStoreFault } from '@relay/core/ports/transport';
import { BufferJSON, proto, type SignalDataTypeMap } from '@whiskeysockets/baileys';
import { SessionRecord } from 'libsignal';

/** A parsed record takes about this many times the size of its bytes. */
const PARSED = 3;

export interface WrittenKey {
  readonly type: KeyType;
  readonly id: string;
  /** Null deletes. */
  readonly value: unknown;
  readonly bytes: Uint8Array | null;
}

export const keyRecordName = (type: KeyType, id: string): string =>
  `${KEY_KINDS[type].number} ${id}`;

export class KeyRecords {
  readonly #store: TransportStore;
  readonly #cache: CachePartition;
  readonly #reading = new Set<Set<string>>();
  /** Written keys that need not stay in the cache once they are durable. */
  #passing: { name: string; unit: number }[] = [];

  constructor(store: TransportStore, cache: CachePartition) {
    this.#store = store;
    this.#cache = cache;
  }

  /** Undefined if it is not in the cache. */
  cached(type: KeyType, id: string): { value: unknown } | undefined {
    const cached = this.#cache.get(keyRecordName(type, id));
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

  /** Returns the ids whose answer was already out of date on arrival. */
  async #load(type: KeyType, ids: string[], found: Map<string, unknown>): Promise<string[]> {
    const writtenMeanwhile = new Set<string>();
    this.#reading.add(writtenMeanwhile);
    const rows = await this.#store
      .read(KEY_KINDS[type].number, ids)
      .finally(() => this.#reading.delete(writtenMeanwhile));
    return ids.filter((id) => {
      const hit = this.cached(type, id);
      if (!hit && writtenMeanwhile.has(keyRecordName(type, id))) return true;
      const value = hit ? hit.value : this.#remember(type, id, rows.get(id));
      if (value !== undefined) found.set(id, value);
      return false;
    });
  }

  #remember(type: KeyType, id: string, bytes: Uint8Array | undefined): unknown {
    const value = bytes && decodeKey(type, bytes);
    if (!KEY_KINDS[type].passing) {
      this.#cache.set(
        keyRecordName(type, id),
        bytes ? toCached(type, value, bytes) : null,
        size(bytes),
        0,
      );
    }
    return value;
  }

  /** Makes what a unit writes visible to all readers, pinned until the unit is durable. */
  publish(written: Iterable<WrittenKey>, unit: number): void {
    for (const { type, id, value, bytes } of written) {
      const name = keyRecordName(type, id);
      for (const names of this.#reading) names.add(name);
      this.#cache.set(name, bytes ? toCached(type, value, bytes) : null, size(bytes), unit);
      if (KEY_KINDS[type].passing) this.#passing.push({ name, unit });
    }
  }

  /** Drops keys that need not stay in the cache, now that these units are durable. */
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

// Encodes keys: each of Baileys' key types is a number and bytes in the store. The numbers are never reused.
// Invariant: unreadable bytes are a TransportStoreFault, never a missing key.

export type KeyType = keyof SignalDataTypeMap;

interface KeyKind {
  readonly number: number;
  readonly encode: (value: unknown) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => unknown;
  /** Nobody changes what `decode` returned, so one copy can be shared. */
  readonly shared: boolean;
  /** Read only once, so not worth caching. */
  readonly passing?: true;
}

const text = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
const plainJson = {
  encode: (value: unknown) => Buffer.from(JSON.stringify(value)),
  decode: (bytes: Uint8Array): unknown => JSON.parse(text(bytes)),
};
const bufferJson = {
  encode: (value: unknown) => Buffer.from(JSON.stringify(value, BufferJSON.replacer)),
  decode: (bytes: Uint8Array): unknown => JSON.parse(text(bytes), BufferJSON.reviver),
};
const raw = {
  encode: (value: unknown) => Buffer.from(value as Uint8Array),
  decode: (bytes: Uint8Array) => Buffer.from(bytes),
};

export const KEY_KINDS: Readonly<Record<KeyType, KeyKind>> = {
  // libsignal serializes a session to a plain object and copies it when it reads it.
  session: { number: 1, encode: plainJson.encode, decode: readSession, shared: true },
  'sender-key': { number: 2, encode: writeSenderKey, decode: readSenderKey, shared: true },
  'pre-key': { number: 3, ...bufferJson, shared: false, passing: true },
  'identity-key': { number: 4, ...raw, shared: true },
  'lid-mapping': { number: 5, ...plainJson, shared: true },
  'device-list': { number: 6, ...plainJson, shared: false },
  tctoken: { number: 7, ...bufferJson, shared: false },
  'sender-key-memory': { number: 8, ...plainJson, shared: false },
  'app-state-sync-key': {
    number: 9,
    encode: bufferJson.encode,
    decode: (bytes) =>
      proto.Message.AppStateSyncKeyData.fromObject(bufferJson.decode(bytes) as object),
    shared: false,
  },
  'app-state-sync-version': { number: 10, ...bufferJson, shared: false },
};

/** Parses the session here, because Baileys treats one that libsignal cannot read as missing. */
function readSession(bytes: Uint8Array): unknown {
  const session = plainJson.decode(bytes) as Uint8Array;
  SessionRecord.deserialize(session);
  return session;
}

/** The form in which a record may be cached. */
function toCached(type: KeyType, value: unknown, bytes: Uint8Array): unknown {
  return KEY_KINDS[type].shared ? value : bytes;
}

function fromCached(type: KeyType, cached: unknown): unknown {
  return KEY_KINDS[type].shared ? cached : decodeKey(type, cached as Uint8Array);
}

function decodeKey(type: KeyType, bytes: Uint8Array): unknown {
  try {
    return KEY_KINDS[type].decode(bytes);
  } catch (cause) {
    throw new TransportStoreFault('unreadable', `A stored ${type} cannot be read.`, { cause });
  }
}

// Caches the keys of all accounts of the process and evicts the least recently used ones above a byte limit.
// Invariant: what is not durable is never evicted, because only the cache has it.

/** Measured: the cost of an entry besides its value. */
const ENTRY_BYTES = 240;
const MAX_BYTES = 256 * 1024 * 1024;

interface Entry {
  readonly partition: CachePartition;
  readonly key: string;
  readonly value: unknown;
  readonly bytes: number;
  /** The number of the unit that wrote it; the entry is pinned until that unit is durable. */
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

  /** The part of one account. `durable` returns how many of its units are durable. */
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

class CachePartition {
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

// Encodes the sender keys of groups. Baileys' own form loses its Buffers when it is read again, so that every group
// message that arrives out of order fails; this one keeps them.
// Invariant: a record is never changed.

interface SenderKeyStep {
  readonly iteration: number;
  readonly seed: Buffer;
}

export interface SenderKeyState {
  readonly id: number;
  readonly chain: SenderKeyStep;
  /** The private key is empty unless it is our own sender key. */
  readonly signing: { readonly public: Buffer; readonly private: Buffer };
  /** Keys of messages that have not arrived yet though later ones have. */
  readonly skipped: readonly SenderKeyStep[];
}

/** The newest last. */
export type SenderKeyStates = readonly SenderKeyState[];

type StoredStep = readonly [iteration: number, seed: string];
type StoredState = readonly [
  id: number,
  chain: StoredStep,
  publicKey: string,
  privateKey: string,
  skipped: readonly StoredStep[],
];

export function writeSenderKey(states: unknown): Uint8Array {
  const stored = (states as SenderKeyStates).map(
    ({ id, chain, signing, skipped }): StoredState => [
      id,
      writeStep(chain),
      signing.public.toString('base64'),
      signing.private.toString('base64'),
      skipped.map(writeStep),
    ],
  );
  return Buffer.from(JSON.stringify(stored));
}

export function readSenderKey(stored: Uint8Array): SenderKeyStates {
  const states: StoredState[] = JSON.parse(Buffer.from(stored).toString());
  return states.map(([id, chain, publicKey, privateKey, skipped]) => ({
    id,
    chain: readStep(chain),
    signing: {
      public: Buffer.from(publicKey, 'base64'),
      private: Buffer.from(privateKey, 'base64'),
    },
    skipped: skipped.map(readStep),
  }));
}

const writeStep = ({ iteration, seed }: SenderKeyStep): StoredStep => [
  iteration,
  seed.toString('base64'),
];

const readStep = ([iteration, seed]: StoredStep): SenderKeyStep => ({
  iteration,
  seed: Buffer.from(seed, 'base64'),
});
