// Runs one change of an account's keys at a time, on an overlay that becomes one unit or nothing.
// Invariant: only the running operation writes; others see its writes once it is submitted.
import {
  type TransportStore,
  TransportStoreFault,
  type TransportUnit,
} from '@relay/core/ports/transport';
import {
  type AuthenticationCreds,
  BufferJSON,
  initAuthCreds,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from '@whiskeysockets/baileys';
import type { FaultLatch } from './durability.ts';
import {
  KEY_KINDS,
  type KeyRecords,
  type KeyType,
  keyRecordName,
  type WrittenKey,
} from './key-records.ts';

type Overlay = Map<string, WrittenKey>;

/** What belongs to the unit besides the keys that the work wrote. */
export interface UnitExtras extends Pick<TransportUnit, 'credentials' | 'journal' | 'inbox'> {
  /** More keys. */
  readonly set?: SignalDataSet;
}

export class Operations {
  /** For code that runs inside an operation and nowhere else. */
  readonly transactionKeys: SignalKeyStore = {
    get: (type, ids) => this.#getInside(type, ids),
    set: async (data) => write(this.#overlay(), data),
  };
  /** For all other code: every write is an operation of its own. */
  readonly autocommitKeys: SignalKeyStore = {
    get: async (type, ids) => typed(type, await this.#read(type, ids)),
    set: (data) => this.run(async () => write(this.#overlay(), data)),
  };
  readonly #store: TransportStore;
  readonly #records: KeyRecords;
  readonly #credentials: Credentials;
  readonly #life: FaultLatch;
  #tail: Promise<unknown> = Promise.resolve();
  /**
   * The overlay of the running operation. A field instead of AsyncLocalStorage: libsignal queues by address for the
   * whole process, so its work may run in the asynchronous context of another account.
   */
  #current: Overlay | null = null;

  constructor(
    store: TransportStore,
    records: KeyRecords,
    credentials: Credentials,
    life: FaultLatch,
  ) {
    this.#store = store;
    this.#records = records;
    this.#credentials = credentials;
    this.#life = life;
  }

  /** Resolves when the work is submitted, which is not yet durable. */
  run<Result>(work: () => Promise<Result>, rest?: (result: Result) => UnitExtras): Promise<Result> {
    const turn = this.#tail.then(() => this.#perform(work, rest));
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  /** Resolves when everything begun so far is over. */
  async idle(): Promise<void> {
    await this.#tail;
  }

  async #perform<Result>(
    work: () => Promise<Result>,
    rest?: (result: Result) => UnitExtras,
  ): Promise<Result> {
    this.#life.throwIfFaulted();
    const overlay: Overlay = new Map();
    this.#current = overlay;
    try {
      const result = await work();
      this.#life.throwIfFaulted();
      this.#submit(overlay, rest?.(result) ?? {});
      return result;
    } finally {
      this.#current = null;
    }
  }

  #submit(overlay: Overlay, { set, ...rest }: UnitExtras): void {
    if (set) write(overlay, set);
    if (overlay.size === 0 && !rest.journal) return;
    const written = [...overlay.values()];
    const credentials = this.#credentials.countedBy(written) ?? rest.credentials;
    const unit: TransportUnit = {
      ...rest,
      ...(credentials && { credentials }),
      keys: written.map(({ type, id, bytes }) => ({
        kind: KEY_KINDS[type].number,
        id,
        value: bytes,
      })),
    };
    // A failure is reported as a fault of the store, which is handled elsewhere.
    this.#store.submit(unit).catch(() => undefined);
    this.#records.publish(written, this.#store.submitted);
  }

  #overlay(): Overlay {
    if (!this.#current) throw new Error('Keys of an operation were used after it.');
    return this.#current;
  }

  async #getInside<Type extends KeyType>(
    type: Type,
    ids: string[],
  ): Promise<Record<string, SignalDataTypeMap[Type]>> {
    const overlay = this.#overlay();
    const found = new Map<string, unknown>();
    const missing: string[] = [];
    for (const id of ids) {
      const written = overlay.get(keyRecordName(type, id));
      const hit = written ? { value: written.value } : this.#records.cached(type, id);
      if (!hit) missing.push(id);
      else if (hit.value !== null && hit.value !== undefined) found.set(id, hit.value);
    }
    if (missing.length > 0) {
      for (const [id, value] of await this.#read(type, missing)) found.set(id, value);
    }
    return typed(type, found);
  }

  async #read(type: KeyType, ids: readonly string[]): Promise<Map<string, unknown>> {
    this.#life.throwIfFaulted();
    try {
      return await this.#records.read(type, ids);
    } catch (error) {
      // libsignal's storage would take the exception for "no session", so the account must not continue.
      throw this.#life.trip(error);
    }
  }
}

function typed<Type extends KeyType>(
  _type: Type,
  found: ReadonlyMap<string, unknown>,
): Record<string, SignalDataTypeMap[Type]> {
  return Object.fromEntries(found) as Record<string, SignalDataTypeMap[Type]>;
}

function write(overlay: Overlay, data: SignalDataSet): void {
  for (const [name, values] of Object.entries(data)) {
    const type = name as KeyType;
    if (!KEY_KINDS[type])
      throw new Error(`Baileys has a type of key that Relay does not know: ${name}`);
    for (const [id, value] of Object.entries(values ?? {})) {
      const bytes = value ? KEY_KINDS[type].encode(value) : null;
      overlay.set(keyRecordName(type, id), { type, id, value: bytes ? value : null, bytes });
    }
  }
}

// The account's credentials, and the part of them that may be stored.
// Invariant: the stored credentials never count more pre-keys than are stored.

export class Credentials {
  /** The one object that Baileys reads and changes. */
  readonly value: AuthenticationCreds;
  #lastPreKey: number;

  constructor(stored: Uint8Array | null) {
    this.value = stored === null ? initAuthCreds() : decode(stored);
    this.#lastPreKey = this.value.nextPreKeyId - 1;
  }

  /** The addresses of the account itself. */
  get own(): string[] {
    const { me } = this.value;
    return [me?.id, me?.lid].filter((jid) => jid !== undefined);
  }

  merge(update: Partial<AuthenticationCreds>): void {
    Object.assign(this.value, update);
  }

  encode(): Uint8Array {
    const { nextPreKeyId, firstUnuploadedPreKeyId } = this.value;
    const next = this.#lastPreKey + 1;
    const stored = {
      ...this.value,
      nextPreKeyId: Math.min(nextPreKeyId, next),
      firstUnuploadedPreKeyId: Math.min(firstUnuploadedPreKeyId, next),
    };
    return Buffer.from(JSON.stringify(stored, BufferJSON.replacer));
  }

  /** The credentials that must be stored together with these keys, if any. */
  countedBy(written: readonly WrittenKey[]): Uint8Array | undefined {
    let last = this.#lastPreKey;
    for (const { type, id, bytes } of written) {
      if (type === 'pre-key' && bytes) last = Math.max(last, Number(id));
    }
    if (last === this.#lastPreKey) return undefined;
    this.#lastPreKey = last;
    return this.encode();
  }
}

function decode(stored: Uint8Array): AuthenticationCreds {
  let value: Partial<AuthenticationCreds>;
  try {
    value = JSON.parse(Buffer.from(stored).toString(), BufferJSON.reviver);
  } catch (cause) {
    throw new TransportStoreFault('unreadable', 'The stored credentials cannot be read.', {
      cause,
    });
  }
  if (!value.noiseKey || !value.signedIdentityKey || !value.signedPreKey || !value.nextPreKeyId) {
    throw new TransportStoreFault('unreadable', 'The stored credentials are not whole.');
  }
  return value as AuthenticationCreds;
}
