// A TransportStore in memory for tests and benches: commits in order, after a delay or when the test says so.
// Invariant: as in the real one, what is durable is a prefix of what was submitted.
import {
  EMPTY_MESSAGE,
  type InboxEntry,
  type TransportStore,
  TransportStoreFault,
  type TransportUnit,
} from '@relay/core/ports/transport';

interface Waiting {
  readonly unit: TransportUnit;
  readonly resolve: () => void;
  readonly reject: (fault: TransportStoreFault) => void;
}

/** What survives a crash: pass it to another store to see what a new process would see. */
export class Disk {
  credentials: Uint8Array | null = null;
  readonly keys = new Map<string, Uint8Array>();
  readonly journal = new Map<string, Uint8Array>();
  readonly inbox = new Map<string, InboxEntry>();

  write({ keys = [], credentials, journal = [], inbox = [] }: TransportUnit): void {
    for (const { kind, id, value } of keys) {
      if (value) this.keys.set(`${kind} ${id}`, value);
      else this.keys.delete(`${kind} ${id}`);
    }
    if (credentials) this.credentials = credentials;
    for (const { digest, plain } of journal) {
      this.journal.set(Buffer.from(digest).toString('hex'), plain ?? EMPTY_MESSAGE);
    }
    for (const entry of inbox) {
      const name = JSON.stringify([entry.chat, entry.sender, entry.id]);
      if (!this.inbox.has(name)) this.inbox.set(name, entry);
    }
  }
}

export class MemoryWireStore implements TransportStore {
  readonly disk: Disk;
  submitted = 0;
  durable = 0;
  commits = 0;
  reads = 0;
  /** While true nothing commits. */
  #held = false;
  #running = false;
  #fault: TransportStoreFault | null = null;
  readonly #delayMs: number;
  readonly #waiting: Waiting[] = [];
  readonly #onDurable = new Set<() => void>();
  readonly #onFault = new Set<(fault: TransportStoreFault) => void>();

  constructor({ disk = new Disk(), delayMs = 0 }: { disk?: Disk; delayMs?: number } = {}) {
    this.disk = disk;
    this.#delayMs = delayMs;
  }

  async credentials(): Promise<Uint8Array | null> {
    return this.disk.credentials;
  }

  async read(kind: number, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    if (this.#fault) throw this.#fault;
    this.reads += 1;
    await new Promise(setImmediate);
    const found = new Map<string, Uint8Array>();
    for (const id of ids) {
      const value = this.disk.keys.get(`${kind} ${id}`);
      if (value) found.set(id, value);
    }
    return found;
  }

  async journal(digest: Uint8Array): Promise<Uint8Array | null> {
    if (this.#fault) throw this.#fault;
    return this.disk.journal.get(Buffer.from(digest).toString('hex')) ?? null;
  }

  submit(unit: TransportUnit): Promise<void> {
    if (this.#fault) return Promise.reject(this.#fault);
    this.submitted += 1;
    const done = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ unit, resolve, reject });
    });
    this.#commitSoon();
    return done;
  }

  #commitSoon(): void {
    if (this.#running || this.#held || this.#waiting.length === 0) return;
    this.#running = true;
    setImmediate(() => {
      const batch = this.#waiting.splice(0);
      const commit = () => {
        this.#running = false;
        if (this.#fault) return;
        if (this.#held) {
          this.#waiting.unshift(...batch);
          return;
        }
        for (const { unit } of batch) this.disk.write(unit);
        this.commits += 1;
        this.durable += batch.length;
        for (const { resolve } of batch) resolve();
        for (const listener of this.#onDurable) listener();
        this.#commitSoon();
      };
      if (this.#delayMs > 0) setTimeout(commit, this.#delayMs);
      else commit();
    });
  }

  hold(): void {
    this.#held = true;
  }

  letGo(): void {
    this.#held = false;
    this.#commitSoon();
  }

  /** Simulates a lost database connection. */
  break(
    fault: TransportStoreFault = new TransportStoreFault('unavailable', 'The database is gone.'),
  ): void {
    if (this.#fault) return;
    this.#fault = fault;
    for (const { reject } of this.#waiting.splice(0)) reject(fault);
    for (const listener of this.#onFault) listener(fault);
  }

  onDurable(listener: () => void): () => void {
    this.#onDurable.add(listener);
    return () => this.#onDurable.delete(listener);
  }

  onFault(listener: (fault: TransportStoreFault) => void): () => void {
    this.#onFault.add(listener);
    return () => this.#onFault.delete(listener);
  }

  async forget(): Promise<void> {
    this.disk.credentials = null;
    this.disk.keys.clear();
  }

  async close(): Promise<void> {}
}
