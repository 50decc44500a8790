// One change of an account's keys at a time: it works on an overlay that becomes one unit, or nothing.
// Invariant: only the running operation writes; what it wrote is seen by others when it is submitted.
import type { WireStore, WireUnit } from '@relay/core/ports/wire-store';
import type { SignalDataSet, SignalDataTypeMap, SignalKeyStore } from '@whiskeysockets/baileys';
import type { Credentials } from './credentials.ts';
import { type KeyType, KINDS } from './kinds.ts';
import type { Life } from './life.ts';
import { nameOf, type Records, type Written } from './records.ts';

type Overlay = Map<string, Written>;

/** What goes into the unit besides the keys that the work wrote. */
export interface Rest extends Pick<WireUnit, 'credentials' | 'journal' | 'inbox'> {
  /** More keys. */
  readonly set?: SignalDataSet;
}

export class Operations {
  /** For code that runs inside an operation and nowhere else. */
  readonly inside: SignalKeyStore = {
    get: (type, ids) => this.#getInside(type, ids),
    set: async (data) => write(this.#overlay(), data),
  };
  /** For everybody else: every write is an operation of its own. */
  readonly outside: SignalKeyStore = {
    get: async (type, ids) => typed(type, await this.#read(type, ids)),
    set: (data) => this.run(async () => write(this.#overlay(), data)),
  };
  readonly #store: WireStore;
  readonly #records: Records;
  readonly #credentials: Credentials;
  readonly #life: Life;
  #tail: Promise<unknown> = Promise.resolve();
  /**
   * The running operation's. A field and no AsyncLocalStorage: libsignal queues by address for the whole
   * process, so its work may run in the asynchronous context of another account's.
   */
  #current: Overlay | null = null;

  constructor(store: WireStore, records: Records, credentials: Credentials, life: Life) {
    this.#store = store;
    this.#records = records;
    this.#credentials = credentials;
    this.#life = life;
  }

  /** Resolves when the work is submitted, which is not yet durable. */
  run<Result>(work: () => Promise<Result>, rest?: (result: Result) => Rest): Promise<Result> {
    const turn = this.#tail.then(() => this.#perform(work, rest));
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  /** Everything begun so far is over. */
  async idle(): Promise<void> {
    await this.#tail;
  }

  async #perform<Result>(
    work: () => Promise<Result>,
    rest?: (result: Result) => Rest,
  ): Promise<Result> {
    this.#life.assert();
    const overlay: Overlay = new Map();
    this.#current = overlay;
    try {
      const result = await work();
      this.#life.assert();
      this.#submit(overlay, rest?.(result) ?? {});
      return result;
    } finally {
      this.#current = null;
    }
  }

  #submit(overlay: Overlay, { set, ...rest }: Rest): void {
    if (set) write(overlay, set);
    if (overlay.size === 0 && !rest.journal) return;
    const written = [...overlay.values()];
    const credentials = this.#credentials.countedBy(written) ?? rest.credentials;
    const unit: WireUnit = {
      ...rest,
      ...(credentials && { credentials }),
      keys: written.map(({ type, id, bytes }) => ({
        kind: KINDS[type].number,
        id,
        value: bytes,
      })),
    };
    // A failure comes as the store's fault, which is heard elsewhere.
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
      const written = overlay.get(nameOf(type, id));
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
    this.#life.assert();
    try {
      return await this.#records.read(type, ids);
    } catch (error) {
      // libsignal's storage takes an exception for "no session": the account must not live on with that.
      throw this.#life.end(error);
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
    if (!KINDS[type])
      throw new Error(`Baileys has a type of key that Relay does not know: ${name}`);
    for (const [id, value] of Object.entries(values ?? {})) {
      const bytes = value ? KINDS[type].encode(value) : null;
      overlay.set(nameOf(type, id), { type, id, value: bytes ? value : null, bytes });
    }
  }
}
