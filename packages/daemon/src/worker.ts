// A worker: holds account leases, renews itself, takes accounts and gives them back, and hands all of them over when it
// is asked to stop. Workers on one database do not talk to each other; each decides from the rows that all see.
// Invariant: an account runs here only under a lease of this worker, and its socket is cut before another worker can
// take the lease.
import { randomUUID } from 'node:crypto';
import { hostname, uptime } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountId } from '@relay/contract/ids';
import { VERSION } from '@relay/core/installation';
import type { Log } from '@relay/core/log';
import type { SocketGate } from '@relay/core/ports/transport';
import { decideBalance } from '@relay/core/workers/balance';
import { LeaseFence } from '@relay/core/workers/fence';
import { LoginPace } from '@relay/core/workers/login-pace';
import pg from 'pg';
import { type ConnectionTarget, type Db, destroyConnection } from './platform/db/database.ts';
import { isAccountHeld, type Lease, releaseLease, takeLease } from './platform/db/lease.ts';
import {
  type CellView,
  endSessionsOf,
  type FreeAccount,
  noteWorkerStopped,
  registerWorker,
  renewAndLook,
  sessionNames,
  WORKERS_CHANNEL,
  type WorkerIdentity,
  wakeWorkers,
} from './platform/db/workers.ts';
import { PollLoop } from './platform/poll-loop.ts';

/** How long a lease lives without a renewal, and for how long of that a worker writes to its sockets. */
export interface LeaseTiming {
  readonly leaseMs: number;
  readonly fenceMs: number;
  readonly renewMs: number;
}

/**
 * Among other workers. After a kill, the accounts are free within `leaseMs + renewMs`. Between `fenceMs` and `leaseMs`
 * lies what clocks may drift apart and a cut socket takes to close.
 */
const CELL_TIMING: LeaseTiming = { leaseMs: 8_000, fenceMs: 6_000, renewMs: 1_000 };

/** For a worker that has been alone for a while: no other worker waits for its leases; a slow machine is likelier. */
const ALONE_AFTER_MS = 300_000;
const ALONE_TIMING: LeaseTiming = { leaseMs: 30_000, fenceMs: 24_000, renewMs: 2_500 };

/** Who held an account before. */
export type TakenFrom = Pick<FreeAccount, 'unservedSince' | 'wasOwn'>;

/** An account that runs in this process. */
export interface RunningAccount {
  /** Another process wrote something for the account. */
  onWake(): void;
  /** Finishes what is running, flushes everything and closes the connection to WhatsApp. */
  stop(): Promise<void>;
}

export interface WorkerOptions {
  /** A worker keeps its id when its home is started again. */
  readonly id: string;
  readonly target: ConnectionTarget;
  readonly db: Db;
  readonly capacity: number;
  /** Where it answers health checks, on its own machine. */
  readonly address: string | null;
  readonly log: Log;
  readonly timing?: LeaseTiming;
  open(lease: Lease, before: TakenFrom): Promise<RunningAccount>;
  /** The database has not answered for longer than a lease: connections to it that are still open are dead. */
  onCutOff(): void;
  /** Called when other workers took the leases over; without it the worker joins again. */
  readonly onLost?: (() => void) | undefined;
  /** An account does not end: only the end of the process is sure to close its socket. */
  onStuck(account: AccountId): void;
}

/** Opened or closed at the same time: opening reads keys, closing waits for answers of WhatsApp. */
const AT_ONCE = 8;
/** A worker hands its accounts over one by one, or in several lanes so that many do not take too long. */
const HANDED_OVER_IN_A_LANE = 30;
const TAKEN_WITHIN_MS = 2_000;
const TAKEN_LOOK_MS = 50;
/** A database that does not answer a renewal within this time counts as away. */
const ANSWER_MS = 2_500;
const RETRY_MS = 300;
/** An account that does not stop by then may still hold its socket: only ending the process is sure to end that. */
const STOP_WITHIN_MS = 30_000;
/** An account whose opening failed is tried again after this. */
const AFTER_FAILURE_MS = 5_000;

interface Held {
  readonly lease: Lease;
  readonly takenAt: number;
  /** Null while it is being opened. */
  running: RunningAccount | null;
  /** Resolves when it is open, or its opening has failed. */
  opened: Promise<void>;
  /** Resolved when it is no longer held here. */
  readonly left: PromiseWithResolvers<void>;
  leaving: boolean;
  /** Another process wrote something for it while it was being opened. */
  isAsked: boolean;
}

export class Worker {
  readonly #options: WorkerOptions;
  readonly #fence = new LeaseFence({
    monotonic: () => performance.now(),
    uptime: () => uptime() * 1_000,
  });
  readonly #pace = new LoginPace();
  readonly #accounts = new Map<AccountId, Held>();
  readonly #failed = new Map<AccountId, number>();
  readonly #givenUp = new Set<AccountId>();
  /** Accounts whose leases are being taken now. */
  readonly #claimed = new Set<AccountId>();
  readonly #places = new Places(AT_ONCE);
  readonly #tasks = new Set<Promise<void>>();
  readonly #loop = new PollLoop({
    look: () => this.#look(),
    failed: (error) => this.#onFailure(error),
    hintsEndFailure: false,
  });
  #self: WorkerIdentity;
  #client: Promise<pg.Client> | null = null;
  #fenceTimer: NodeJS.Timeout | undefined;
  #draining = false;
  /** False until the process is assembled. */
  #serving = false;
  #taking = false;
  #registered = false;
  /** Since when renewals have succeeded without a gap; only then may this worker judge others. */
  #steadySince = 0;
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** Whether another worker could take an account, as far as the last look has shown. */
  #hasSuccessor = false;
  /** When another worker was seen last. One that is gone may be back soon. */
  #companyAt = Number.NEGATIVE_INFINITY;
  #members = '';
  #membersSince = 0;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#self = { id: options.id, run: randomUUID() };
  }

  get #isAlone(): boolean {
    return performance.now() - this.#companyAt > ALONE_AFTER_MS;
  }

  get #timing(): LeaseTiming {
    return this.#options.timing ?? (this.#isAlone ? ALONE_TIMING : CELL_TIMING);
  }

  get id(): string {
    return this.#self.id;
  }

  /** Whether the leases are held: what readiness means for a worker. */
  get isReady(): boolean {
    const isOpening = [...this.#accounts.values()].some(({ running }) => running === null);
    return this.#registered && this.#fence.mayWrite() && !isOpening && !this.#draining;
  }

  /** Given to every transport of this worker. */
  readonly gate: SocketGate = {
    turn: async () => {
      await sleep(this.#pace.reserve(performance.now()));
      await this.#fence.opened();
    },
    mayWrite: () => this.#fence.mayWrite(),
    onShut: (listener) => this.#fence.onShut(listener),
  };

  /** Registers the worker; from then on it renews itself. */
  async join(): Promise<void> {
    await this.#look();
    this.#loop.start();
  }

  /** Takes the first accounts. Resolves when those are open. */
  async serve(): Promise<void> {
    this.#serving = true;
    await this.#loop.caughtUp();
    await this.#settled();
  }

  /** An account that was just added. Resolves when it is open here, or with false if another worker has it. */
  async take(account: AccountId): Promise<boolean> {
    this.#givenUp.delete(account);
    await this.#takeAll([{ account, unservedSince: null, wasOwn: false }]);
    await this.#settled();
    return this.#accounts.get(account)?.running != null;
  }

  /** Gives an account back and does not take it again: it is about to be removed. */
  async giveUp(account: AccountId): Promise<void> {
    this.#givenUp.add(account);
    this.#giveBack(account);
    await this.#settled();
  }

  /** Its settings have changed: it is opened again, here or by another worker. */
  reopen(account: AccountId): void {
    this.#giveBack(account);
  }

  /** Something changed in the cell: look now. */
  wake(): void {
    this.#loop.hint();
  }

  /** Hands all accounts over, then leaves. */
  async stop(): Promise<void> {
    this.#draining = true;
    // So that the others know before the first account is free. A database that is away hears nothing.
    await Promise.race([this.#loop.caughtUp(), sleep(ANSWER_MS, undefined, { ref: false })]);
    await this.#handOver();
    await this.#settled();
    await this.#loop.stop();
    clearTimeout(this.#fenceTimer);
    const client = await this.#client?.catch(() => null);
    if (client == null) return;
    // The database may already be gone; then the leases end by themselves.
    await noteWorkerStopped(client, this.#self).catch(() => {});
    await client.end().catch(() => {});
  }

  /**
   * Each account only after another worker has taken the one before: all of them at once would wait for each other there,
   * disconnected.
   */
  async #handOver(): Promise<void> {
    const waiting = [...this.#accounts.keys()];
    const next = async (): Promise<void> => {
      for (let account = waiting.shift(); account !== undefined; account = waiting.shift()) {
        const held = this.#accounts.get(account);
        if (held === undefined) continue;
        this.#giveBack(account);
        await held.left.promise;
        await this.#taken(account);
      }
    };
    const lanes = Math.ceil(waiting.length / HANDED_OVER_IN_A_LANE);
    await Promise.all(Array.from({ length: lanes }, next));
  }

  /** Resolves when another worker has taken the account, or none does. */
  async #taken(account: AccountId): Promise<void> {
    if (!this.#hasSuccessor) return;
    const until = performance.now() + TAKEN_WITHIN_MS;
    while (performance.now() < until) {
      if (await isAccountHeld(this.#options.db, account).catch(() => true)) return;
      await sleep(TAKEN_LOOK_MS);
    }
    // The worker that could take it is busy: the other accounts would only wait longer.
    this.#hasSuccessor = false;
  }

  async #look(): Promise<number> {
    const { log } = this.#options;
    const client = await this.#connect();
    if (!this.#registered) await this.#register(client);
    const mark = this.#fence.mark();
    const { leaseMs, fenceMs } = this.#timing;
    const renewal = { leaseMs, draining: this.#draining, judges: this.#judges };
    const view = await renewAndLook(client, this.#self, renewal);
    if (!view.alive) {
      log.error('declared lost by another worker; dropping all accounts', { worker: this.id });
      this.#fence.shut();
      this.#options.onLost?.();
      this.#dropAll();
      await this.#settled();
      this.#self = { ...this.#self, run: randomUUID() };
      this.#registered = false;
      return 0;
    }
    this.#onRenewed(mark, fenceMs);
    for (const id of view.lost) {
      log.warn('worker lost', { worker: id });
      // What its sessions still have open would keep its leases locked.
      this.#track(endSessionsOf(this.#options.db, id).catch(() => {}));
    }
    this.#dropStolen(view, mark.monotonic);
    for (const account of view.asked) this.#wakeAccount(account);
    await this.#balance(view);
    return this.#timing.renewMs;
  }

  async #register(client: pg.Client): Promise<void> {
    const { capacity, address } = this.#options;
    const facts = { host: hostname(), pid: process.pid, version: VERSION, capacity };
    const register = () =>
      registerWorker(client, { ...this.#self, ...facts, address }, this.#timing.leaseMs);
    if (!(await register())) {
      this.#options.log.warn('a worker with this id runs on another machine; using a new id');
      this.#self = { id: randomUUID(), run: this.#self.run };
      await register();
    }
    this.#registered = true;
    this.#steadySince = performance.now();
  }

  #onRenewed(mark: ReturnType<LeaseFence['mark']>, fenceMs: number): void {
    this.#fence.open(mark, fenceMs);
    const now = performance.now();
    if (now - this.#renewedAt > this.#timing.leaseMs / 2) this.#steadySince = now;
    this.#renewedAt = now;
    this.#cutInTime();
  }

  /** A timer may fire a little early. */
  #cutInTime(): void {
    clearTimeout(this.#fenceTimer);
    this.#fenceTimer = setTimeout(() => {
      if (this.#fence.mayWrite()) return this.#cutInTime();
      this.#options.log.error('leases not renewed in time; connections cut', { worker: this.id });
      this.#fence.shut();
      this.#options.onCutOff();
    }, this.#fence.leftMs + 1);
  }

  /** After an outage of the database every worker is overdue: each gets the time to renew itself. */
  get #judges(): boolean {
    return performance.now() - this.#steadySince > this.#timing.leaseMs;
  }

  async #balance(view: CellView): Promise<void> {
    const members = view.workers.map(({ id, draining }) => `${id} ${draining}`).sort();
    const now = performance.now();
    if (members.join() !== this.#members) {
      this.#members = members.join();
      this.#membersSince = now;
    }
    this.#pace.setWorkers(view.workers.length);
    if (view.workers.length > 1) this.#companyAt = now;
    this.#hasSuccessor = view.workers.some(
      ({ id, draining, held, capacity }) => id !== this.id && !draining && held < capacity,
    );
    if (!this.#serving || this.#draining || this.#taking) return;
    const isMovable = ({ running, leaving }: Held) => running !== null && !leaving;
    // The view is from before whatever was taken or given back meanwhile.
    const held = this.#accounts.size;
    const workers = view.workers.map((one) => (one.id === this.id ? { ...one, held } : one));
    const { take, giveBack } = decideBalance({
      self: this.id,
      workers,
      free: view.free.map(({ account }) => account).filter((account) => this.#mayTake(account)),
      movable: [...this.#accounts].flatMap(([account, held]) => (isMovable(held) ? account : [])),
      leaving: [...this.#accounts.values()].filter(({ leaving }) => leaving).length,
      settledMs: now - this.#membersSince,
    });
    for (const account of giveBack) this.#giveBack(account);
    if (take.length === 0) return;
    this.#taking = true;
    this.#track(
      this.#takeAll(view.free.filter(({ account }) => take.includes(account))).finally(() => {
        this.#taking = false;
      }),
    );
  }

  #mayTake(account: AccountId): boolean {
    const failedAt = this.#failed.get(account) ?? Number.NEGATIVE_INFINITY;
    if (this.#accounts.has(account) || this.#givenUp.has(account)) return false;
    return performance.now() - failedAt > AFTER_FAILURE_MS;
  }

  async #takeAll(accounts: readonly FreeAccount[]): Promise<void> {
    for (const free of accounts) {
      if (this.#draining) return;
      const { account } = free;
      // A look and a caller of `take` may want the same one.
      if (this.#accounts.has(account) || this.#claimed.has(account)) continue;
      this.#claimed.add(account);
      const lease = await takeLease(this.#options.db, account, this.id).catch(() => null);
      this.#claimed.delete(account);
      if (lease !== null) this.#open(lease, free);
    }
  }

  #open(lease: Lease, before: TakenFrom): void {
    const { log } = this.#options;
    const held: Held = {
      lease,
      takenAt: performance.now(),
      running: null,
      opened: Promise.resolve(),
      left: Promise.withResolvers(),
      leaving: false,
      isAsked: false,
    };
    this.#accounts.set(lease.account, held);
    const open = async () => {
      try {
        held.running = await this.#options.open(lease, before);
        if (held.isAsked) held.running.onWake();
        this.#failed.delete(lease.account);
        log.info('account taken', { account: lease.account, worker: this.id });
      } catch (error) {
        log.error('opening an account failed', { account: lease.account, error });
        this.#failed.set(lease.account, performance.now());
        await this.#release(held);
      }
    };
    held.opened = this.#places.run(open);
    this.#track(held.opened);
  }

  /** Stops the account here, then frees its lease for another worker. */
  #giveBack(account: AccountId): void {
    const held = this.#accounts.get(account);
    if (held === undefined || held.leaving) return;
    held.leaving = true;
    const leave = async () => {
      await this.#stopAccount(held);
      await this.#release(held);
      this.#options.log.info('account given back', { account, worker: this.id });
    };
    this.#track(held.opened.then(() => this.#places.run(leave)));
  }

  async #release({ lease, left }: Held): Promise<void> {
    // Without an answer the lease ends with this worker.
    await releaseLease(this.#options.db, lease).catch(() => {});
    this.#accounts.delete(lease.account);
    left.resolve();
    await wakeWorkers(this.#options.db).catch(() => {});
  }

  /** Another worker has taken these leases, although this one lives: an operator's statement, or a restored backup. */
  #dropStolen(view: CellView, seenAt: number): void {
    const own = new Set(view.own);
    for (const [account, held] of this.#accounts) {
      if (own.has(account) || held.leaving || held.takenAt > seenAt) continue;
      this.#options.log.error('lease taken by another worker', { account });
      this.#drop(account, held);
    }
  }

  #dropAll(): void {
    for (const [account, held] of this.#accounts) this.#drop(account, held);
  }

  /** Its lease is gone: what it still writes is refused. */
  #drop(account: AccountId, held: Held): void {
    held.leaving = true;
    const leave = async () => {
      await this.#stopAccount(held);
      this.#accounts.delete(account);
      held.left.resolve();
    };
    this.#track(held.opened.then(() => this.#places.run(leave)));
  }

  async #stopAccount({ lease, running }: Held): Promise<void> {
    if (running === null) return;
    const { account } = lease;
    const { log, onStuck } = this.#options;
    const stopped = running.stop().catch((error: unknown) => {
      log.warn('stopping an account failed', { account, error });
    });
    const patience = sleep(STOP_WITHIN_MS, 'stuck' as const, { ref: false });
    if ((await Promise.race([stopped, patience])) !== 'stuck') return;
    log.error('an account does not stop', { account });
    onStuck(account);
  }

  #onFailure(error: unknown): number {
    this.#options.log.warn('renewing the leases failed', { worker: this.id, error });
    // Whatever kept this worker from the database may keep others from it for longer.
    this.#steadySince = performance.now();
    const client = this.#client;
    this.#client = null;
    client?.then(destroyConnection).catch(() => {});
    return RETRY_MS;
  }

  /** Its own connection: a pool without a free one must not delay a renewal. */
  #connect(): Promise<pg.Client> {
    this.#client ??= this.#openClient().catch((error: unknown) => {
      this.#client = null;
      throw error;
    });
    return this.#client;
  }

  async #openClient(): Promise<pg.Client> {
    const client = new pg.Client({
      ...this.#options.target,
      application_name: sessionNames(this.id).renewals,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
    });
    client.on('error', () => {});
    client.on('notification', ({ payload = '' }) => {
      if (payload === '') this.wake();
      else this.#wakeAccount(Number(payload) as AccountId);
    });
    await client.connect();
    await client.query(`SET relay.account = '*'; LISTEN ${WORKERS_CHANNEL}`);
    // What was said before, nobody heard.
    for (const account of this.#accounts.keys()) this.#wakeAccount(account);
    return client;
  }

  #wakeAccount(account: AccountId): void {
    const held = this.#accounts.get(account);
    if (held === undefined) return;
    if (held.running === null) held.isAsked = true;
    else held.running.onWake();
  }

  #track(task: Promise<void>): void {
    const done = task.finally(() => this.#tasks.delete(done));
    this.#tasks.add(done);
  }

  /** Resolves when nothing is being opened or closed. */
  async #settled(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.allSettled(this.#tasks);
  }
}

/** Runs at most so many tasks at once; the others wait in order. */
class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run(task: () => Promise<void>): Promise<void> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    try {
      await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
