// An in-memory TransportStore for tests, with the guarantees of the one in PostgreSQL: reads see what is durable, units
// become durable in the order they were submitted, and a fault drops what was pending.
import {
  EMPTY_MESSAGE,
  type InboxEntry,
  type TransportStore,
  TransportStoreFault,
  type TransportUnit,
} from '@relay/core/ports/transport';

export interface MemoryWireOptions {
  /** How long a commit takes. 0: one turn of the event loop. */
  readonly delayMs?: number;
}

/** Replaces the database: it outlives the stores that are opened on it. */
export class MemoryWire {
  credentials: Uint8Array | null = null;
  /** By `<kind>/<id>`. */
  readonly keys = new Map<string, Uint8Array>();
  /** By the digest in hex. */
  readonly journal = new Map<string, Uint8Array>();
  readonly inbox: InboxEntry[] = [];
  /** Number of durable units, over all stores. */
  units = 0;
  delayMs: number;
  #held = false;
  #damaged = new Set<string>();
  #current: MemoryWireStore | null = null;

  constructor(options: MemoryWireOptions = {}) {
    this.delayMs = options.delayMs ?? 0;
  }

  /** A store that was open before becomes unusable. */
  async open(): Promise<TransportStore> {
    this.fault('lease_lost', 'opened again');
    this.#current = new MemoryWireStore(this);
    return this.#current;
  }

  /** Nothing becomes durable until `release`. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.#current?.run();
  }

  get held(): boolean {
    return this.#held;
  }

  /** Makes the open store fault; what is not durable yet is lost. */
  fault(kind: TransportStoreFault['kind'], message = 'injected'): void {
    this.#current?.fail(new TransportStoreFault(kind, message));
  }

  /** `credentials`, `<kind>/<id>`, or the digest of a journal entry in hex. */
  damage(record: string): void {
    this.#damaged.add(record);
  }

  isDamaged(record: string): boolean {
    return this.#damaged.has(record);
  }

  write(unit: TransportUnit): void {
    for (const { kind, id, value } of unit.keys ?? []) {
      if (value === null) this.keys.delete(`${kind}/${id}`);
      else this.keys.set(`${kind}/${id}`, value.slice());
    }
    if (unit.credentials) this.credentials = unit.credentials.slice();
    for (const { digest, plain } of unit.journal ?? []) {
      const entry = (plain ?? EMPTY_MESSAGE).slice();
      if (!this.journal.has(hex(digest))) this.journal.set(hex(digest), entry);
    }
    for (const entry of unit.inbox ?? []) {
      if (!this.inbox.some((known) => isSame(known, entry))) this.inbox.push({ ...entry });
    }
    this.units++;
  }

  forget(): void {
    this.credentials = null;
    this.keys.clear();
    this.units++;
  }
}

interface Waiting {
  write(): void;
  readonly done: PromiseWithResolvers<void>;
}

class MemoryWireStore implements TransportStore {
  submitted = 0;
  durable = 0;
  readonly #wire: MemoryWire;
  readonly #queue: Waiting[] = [];
  readonly #onDurable = new Set<() => void>();
  readonly #onFault = new Set<(fault: TransportStoreFault) => void>();
  #running = false;
  #fault: TransportStoreFault | null = null;

  constructor(wire: MemoryWire) {
    this.#wire = wire;
  }

  credentials(): Promise<Uint8Array | null> {
    return this.#read('credentials', () => this.#wire.credentials);
  }

  async read(kind: number, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    for (const id of ids) {
      const name = `${kind}/${id}`;
      const value = await this.#read(name, () => this.#wire.keys.get(name) ?? null);
      if (value !== null) found.set(id, value);
    }
    return found;
  }

  journal(digest: Uint8Array): Promise<Uint8Array | null> {
    return this.#read(hex(digest), () => this.#wire.journal.get(hex(digest)) ?? null);
  }

  submit(unit: TransportUnit): Promise<void> {
    return this.#enqueue(() => this.#wire.write(unit));
  }

  forget(): Promise<void> {
    return this.#enqueue(() => this.#wire.forget());
  }

  onDurable(listener: () => void): () => void {
    this.#onDurable.add(listener);
    return () => this.#onDurable.delete(listener);
  }

  onFault(listener: (fault: TransportStoreFault) => void): () => void {
    const fault = this.#fault;
    if (fault !== null) queueMicrotask(() => listener(fault));
    else this.#onFault.add(listener);
    return () => this.#onFault.delete(listener);
  }

  async close(): Promise<void> {
    await this.#queue.at(-1)?.done.promise.catch(() => {});
    this.#onFault.clear();
    this.fail(new TransportStoreFault('unavailable', 'the store is closed'));
  }

  fail(fault: TransportStoreFault): void {
    if (this.#fault !== null) return;
    this.#fault = fault;
    for (const { done } of this.#queue.splice(0)) done.reject(fault);
    for (const listener of this.#onFault) listener(fault);
  }

  run(): void {
    if (this.#running || this.#queue.length === 0 || this.#wire.held) return;
    this.#running = true;
    const { delayMs } = this.#wire;
    if (delayMs > 0) setTimeout(() => this.#commit(), delayMs);
    else setImmediate(() => this.#commit());
  }

  #commit(): void {
    this.#running = false;
    if (this.#wire.held || this.#fault !== null) return;
    const batch = this.#queue.splice(0);
    for (const { write, done } of batch) {
      write();
      done.resolve();
    }
    this.durable += batch.length;
    for (const listener of this.#onDurable) listener();
    this.run();
  }

  #enqueue(write: () => void): Promise<void> {
    const done = Promise.withResolvers<void>();
    // A caller that does not await a unit learns of the fault by `onFault`.
    done.promise.catch(() => {});
    if (this.#fault === null) {
      this.submitted++;
      this.#queue.push({ write, done });
      this.run();
    } else done.reject(this.#fault);
    return done.promise;
  }

  async #read(name: string, get: () => Uint8Array | null): Promise<Uint8Array | null> {
    await new Promise(setImmediate);
    if (this.#wire.isDamaged(name))
      this.fail(new TransportStoreFault('unreadable', `${name} is damaged`));
    if (this.#fault !== null) throw this.#fault;
    return get()?.slice() ?? null;
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const isSame = (a: InboxEntry, b: InboxEntry): boolean =>
  a.chat === b.chat && a.sender === b.sender && a.id === b.id;
