// Decides the order in which operations continue. Each stops at its points (before a transaction, before its commit,
// during a model call) until it is resumed; a seed decides who is next. An operation that waits for a row lock of
// another one is left waiting in the database.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

interface Operation {
  readonly name: string;
  /** How likely it is chosen: one with a low weight stays behind while all others pass. */
  readonly weight: number;
  /** It lets this many moves of others pass first, as long as there are any. */
  readonly notBefore: number;
  stopped: { readonly at: string; readonly go: () => void } | null;
  transactions: number;
  /** When its last transaction began. */
  began: number;
}

/**
 * A committed transaction: the operation and the number of its transaction. Times are values of one counter, so that
 * they can be compared.
 */
export interface CommittedTransaction {
  readonly name: string;
  readonly began: number;
  readonly committed: number;
}

export interface SchedulerView {
  /** Sessions that wait for a lock. */
  readonly waiting: number;
  /** Jobs that a worker is about to fetch. */
  readonly ready: number;
}

export interface SchedulerOptions {
  readonly random: () => number;
  /** Whether several may be resumed at once, so that the database's locks decide. */
  readonly together: boolean;
  readonly look: () => Promise<SchedulerView>;
}

const STUCK_MS = 20_000;
/** The most moves that an operation may let pass: more than a turn has. */
const LATEST = 14;
/** Longer than most transactions take: a slower one may be waiting for a lock. */
const PATIENCE_MS = 12;

export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #inside = new AsyncLocalStorage<Operation>();
  readonly #operations = new Set<Operation>();
  readonly #begun = new Map<string, number>();
  #held = false;
  #holdAt: { readonly at: string; readonly reached: () => void } | null = null;
  #moment = 0;
  #changed = Promise.withResolvers<void>();
  readonly commits: CommittedTransaction[] = [];
  /** Which operation was resumed from which point, in order. */
  readonly moves: string[] = [];

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  moment(): number {
    this.#moment += 1;
    return this.#moment;
  }

  get held(): boolean {
    return this.#held;
  }

  /** From now on operations stop at their points. */
  hold(): void {
    this.#held = true;
  }

  /** Operations run freely until one reaches this point; from there on all of them stop. */
  holdAt(at: string): Promise<void> {
    const reached = Promise.withResolvers<void>();
    this.#holdAt = { at, reached: reached.resolve };
    return reached.promise;
  }

  /** From now on all run freely, including stopped ones. */
  release(): void {
    this.#held = false;
    for (const operation of this.#operations) this.#go(operation);
  }

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const nth = (this.#begun.get(name) ?? 0) + 1;
    this.#begun.set(name, nth);
    const { random } = this.#options;
    const late = random() < 0.5 ? Math.floor(random() * LATEST) : 0;
    const operation: Operation = {
      name: nth === 1 ? name : `${name} ${nth}`,
      weight: random() ** 3 + 0.01,
      notBefore: this.moves.length + late,
      stopped: null,
      transactions: 0,
      began: 0,
    };
    this.#operations.add(operation);
    this.#tell();
    try {
      return await this.#inside.run(operation, work);
    } finally {
      this.#operations.delete(operation);
      this.#tell();
    }
  }

  async point(at: string): Promise<void> {
    const operation = this.#inside.getStore();
    if (at === this.#holdAt?.at) {
      this.#held = true;
      this.#holdAt.reached();
    }
    if (!this.#held || operation === undefined) return;
    await new Promise<void>((go) => {
      operation.stopped = { at, go };
      this.#tell();
    });
  }

  /** A transaction with a point before it and one before its commit. */
  async transaction<T>(execute: (commit: () => Promise<void>) => Promise<T>): Promise<T> {
    const operation = this.#inside.getStore();
    if (operation === undefined) return execute(async () => {});
    operation.transactions += 1;
    const name = `${operation.name}/${operation.transactions}`;
    await this.point(`${operation.transactions} opens`);
    operation.began = this.moment();
    const result = await execute(() => this.point(`${operation.transactions} commits`));
    this.commits.push({ name, began: operation.began, committed: this.moment() });
    return result;
  }

  /** When the last transaction of the calling operation began. */
  began(): number {
    return this.#inside.getStore()?.began ?? 0;
  }

  /** Resumes one after the other until all have ended. */
  async drive(): Promise<void> {
    for (;;) {
      await this.#settled();
      const stopped = [...this.#operations].filter((one) => one.stopped !== null);
      if (stopped.length === 0 && this.#operations.size === 0) return;
      for (const operation of this.#chosen(stopped)) {
        this.moves.push(`${operation.name}: ${operation.stopped?.at}`);
        this.#go(operation);
      }
    }
  }

  #chosen(all: readonly Operation[]): Operation[] {
    const { random, together } = this.#options;
    const ready = all.filter(({ notBefore }) => notBefore <= this.moves.length);
    const soonest = Math.min(...all.map(({ notBefore }) => notBefore));
    const stopped = ready.length > 0 ? ready : all.filter((one) => one.notBefore === soonest);
    if (together && stopped.length > 1 && random() < 0.5) {
      return stopped.filter(() => random() < 0.6);
    }
    let left = random() * stopped.reduce((sum, { weight }) => sum + weight, 0);
    const one = stopped.find(({ weight }) => {
      left -= weight;
      return left < 0;
    });
    return one === undefined ? [] : [one];
  }

  /** Nothing moves: each operation has stopped or waits for a lock, and no job is on its way to a worker. */
  async #settled(): Promise<void> {
    const since = Date.now();
    for (let seen = 0; seen < 2; ) {
      while (this.#running() > 0 && (await this.#change(PATIENCE_MS)));
      const running = this.#running();
      const { waiting, ready } = await this.#options.look();
      const quiet = ready === 0 && waiting >= running && this.#running() === running;
      if (quiet && running === 0) return;
      seen = quiet ? seen + 1 : 0;
      if (Date.now() - since > STUCK_MS) throw new Error(`stuck: ${this.#where()}`);
      if (!quiet) await this.#change(2);
    }
  }

  #running(): number {
    return [...this.#operations].filter((one) => one.stopped === null).length;
  }

  /** Whether an operation stopped, ended or was added within this time. */
  async #change(ms: number): Promise<boolean> {
    this.#changed = Promise.withResolvers();
    const late = new AbortController();
    const nothing = sleep(ms, false, { signal: late.signal }).catch(() => false);
    const changed = await Promise.race([this.#changed.promise.then(() => true), nothing]);
    late.abort();
    return changed;
  }

  #where(): string {
    return [...this.#operations].map((one) => `${one.name} ${one.stopped?.at ?? '…'}`).join(', ');
  }

  #go(operation: Operation): void {
    const { stopped } = operation;
    operation.stopped = null;
    stopped?.go();
  }

  #tell(): void {
    this.#changed.resolve();
  }
}
