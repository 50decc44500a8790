// A WireStore in memory, for tests of what stands above it. Closing and opening again keeps its contents;
// a fault can be made to happen. Invariant: a message is kept once per chat, sender and id, as in the store.
import type {
  InboxEntry,
  KeyWrite,
  WireFault,
  WireStore,
  WireUnit,
} from '@relay/core/ports/wire-store';

export class MemoryWire {
  readonly inbox: InboxEntry[] = [];
  readonly keys = new Map<string, Uint8Array>();
  readonly journal = new Map<string, Uint8Array>();
  credentials: Uint8Array | null = null;
  /** Thrown by the next `open`, for as long as it is set. */
  refusal: WireFault | undefined;
  opened = 0;
  closed = 0;
  #open: MemoryWireStore | undefined;

  async open(): Promise<WireStore> {
    if (this.refusal) throw this.refusal;
    this.opened += 1;
    this.#open = new MemoryWireStore(this);
    return this.#open;
  }

  /** The store that is open can no longer be believed. */
  fail(fault: WireFault): void {
    this.#open?.fail(fault);
  }

  apply({ credentials, inbox = [], journal = [], keys = [] }: WireUnit): void {
    for (const write of keys) this.#applyKey(write);
    for (const { digest, plain } of journal) this.journal.set(hex(digest), plain);
    for (const entry of inbox) {
      if (!this.inbox.some((known) => sameMessage(known, entry))) this.inbox.push(entry);
    }
    if (credentials) this.credentials = credentials;
  }

  #applyKey({ id, kind, value }: KeyWrite): void {
    if (value) this.keys.set(`${kind} ${id}`, value);
    else this.keys.delete(`${kind} ${id}`);
  }
}

class MemoryWireStore implements WireStore {
  submitted = 0;
  durable = 0;
  readonly #wire: MemoryWire;
  readonly #onDurable = new Set<() => void>();
  readonly #onFault = new Set<(fault: WireFault) => void>();
  #fault: WireFault | undefined;

  constructor(wire: MemoryWire) {
    this.#wire = wire;
  }

  async credentials(): Promise<Uint8Array | null> {
    this.#believe();
    return this.#wire.credentials;
  }

  async read(kind: number, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    this.#believe();
    const found = new Map<string, Uint8Array>();
    for (const id of ids) {
      const value = this.#wire.keys.get(`${kind} ${id}`);
      if (value) found.set(id, value);
    }
    return found;
  }

  async journal(digest: Uint8Array): Promise<Uint8Array | null> {
    this.#believe();
    return this.#wire.journal.get(hex(digest)) ?? null;
  }

  async submit(unit: WireUnit): Promise<void> {
    this.#believe();
    this.submitted += 1;
    // A commit takes a moment, so that whoever does not wait for it is found out.
    await new Promise((resolve) => setImmediate(resolve));
    this.#believe();
    this.#wire.apply(unit);
    this.durable += 1;
    for (const listener of [...this.#onDurable]) listener();
  }

  onDurable(listener: () => void): () => void {
    this.#onDurable.add(listener);
    return () => this.#onDurable.delete(listener);
  }

  onFault(listener: (fault: WireFault) => void): () => void {
    this.#onFault.add(listener);
    return () => this.#onFault.delete(listener);
  }

  async forget(): Promise<void> {
    this.#wire.credentials = null;
    this.#wire.keys.clear();
    this.#wire.journal.clear();
  }

  async close(): Promise<void> {
    this.#wire.closed += 1;
    this.#onDurable.clear();
    this.#onFault.clear();
  }

  fail(fault: WireFault): void {
    this.#fault ??= fault;
    for (const listener of [...this.#onFault]) listener(fault);
  }

  #believe(): void {
    if (this.#fault) throw this.#fault;
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const sameMessage = (one: InboxEntry, other: InboxEntry): boolean =>
  one.chat === other.chat && one.sender === other.sender && one.id === other.id;
