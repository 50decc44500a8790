// `npm run torture -- failover`: workers of one database under traffic in and out. They are killed at random, paused
// beyond their lease and continued, cut off from the database, drained, and lose PostgreSQL. Their accounts come back on
// other workers in time, no two sockets of an account act, and every message is counted.
import { setTimeout as sleep } from 'node:timers/promises';
import { thenClose } from '@relay/testing/then-close';
import { Cell, type CellWorker } from './failover/cell.ts';
import { type CellAccount, CellTraffic } from './failover/traffic.ts';
import { SocketWatch } from './failover/watch.ts';
import { quantile } from './quantile.ts';
import { randomFrom } from './random.ts';

interface FailoverTorture {
  readonly workers: number;
  readonly accounts: number;
  readonly kills: number;
  readonly seed: number;
  /** How many times longer everything may take than on a machine that does nothing else. */
  readonly slack: number;
}

interface FailoverReport {
  readonly seed: number;
  readonly workers: number;
  readonly accounts: number;
  readonly done: Readonly<Record<string, number>>;
  readonly received: number;
  readonly sent: number;
  /** From a kill until each of its accounts was connected elsewhere. */
  readonly failoverMs: { readonly p50: number; readonly p99: number; readonly worst: number };
  /** The same for a worker that was paused or cut off. */
  readonly otherMs: { readonly p50: number; readonly worst: number };
  /** The longest that a message was on its way while a worker was drained. */
  readonly drainDelayMs: { readonly received: number; readonly sent: number };
  /** Logins while the former connection was open; the server closes that one. */
  readonly overlaps: number;
  readonly lateStanzas: number;
  readonly lost: number;
  readonly doubled: number;
  readonly outOfOrder: number;
  readonly undecryptable: number;
  readonly unseen: number;
  readonly seenTwice: number;
  readonly faults: readonly string[];
  readonly seconds: number;
}

/** Accounts are connected elsewhere within this time. */
const FAILOVER_MS = 15_000;
const DRAIN_MS = 5_000;
/** Longer than the lease of a worker. */
const BEYOND_LEASE_MS = 12_000;
const STEP_MS = 80;
/** Each asks the API again and again until it is linked. */
const LINKED_AT_ONCE = 8;
const PATIENCE_MS = 60_000;

export async function tortureFailover(options: FailoverTorture): Promise<FailoverReport> {
  const began = performance.now();
  const cell = await Cell.open(options.workers, options.accounts);
  return thenClose(cell, async () => {
    const torture = new Torture(cell, options);
    await torture.link();
    const stop = torture.keepWriting();
    await torture.run();
    await stop();
    return {
      ...(await torture.report()),
      seconds: Math.round((performance.now() - began) / 1_000),
    };
  });
}

class Torture {
  readonly #cell: Cell;
  readonly #options: FailoverTorture;
  readonly #random: () => number;
  readonly #traffic: CellTraffic;
  readonly #watch: SocketWatch;
  readonly #done = new Map<string, number>();
  readonly #killed: number[] = [];
  readonly #others: number[] = [];
  readonly #drains: { received: number; sent: number }[] = [];
  readonly #faults: string[] = [];
  readonly #complaints: string[] = [];
  #retriesAsked = 0;

  constructor(cell: Cell, options: FailoverTorture) {
    this.#cell = cell;
    this.#options = options;
    this.#random = randomFrom(options.seed);
    this.#traffic = new CellTraffic(cell, options.accounts);
    const { network } = cell.simulator;
    this.#watch = new SocketWatch(network);
    network.events.on('undecryptable', ({ account, id }) => {
      this.#complaints.push(`${account.phone} could not read ${id}`);
    });
    const owners = new Set(this.#traffic.accounts.map(({ phone }) => phone));
    network.events.on('receipt', ({ from, device, type }) => {
      if (owners.has(from.phone) && device !== 0 && type === 'retry') this.#retriesAsked += 1;
    });
  }

  async link(): Promise<void> {
    for (const { name } of this.#traffic.accounts) await this.#cell.addAccount(name);
    const waiting = [...this.#traffic.accounts];
    const next = async () => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        await this.#cell.link(one.name, one.phone);
      }
    };
    await Promise.all(Array.from({ length: LINKED_AT_ONCE }, next));
    console.log(`${this.#traffic.accounts.length} accounts linked`);
  }

  keepWriting(): () => Promise<void> {
    let stopped = false;
    const writing = (async () => {
      while (!stopped) {
        await this.#traffic.step();
        await sleep(STEP_MS);
      }
    })();
    return async () => {
      stopped = true;
      await writing;
    };
  }

  async run(): Promise<void> {
    const { kills } = this.#options;
    for (let n = 1; n <= kills; n++) {
      await this.#kill(n);
      if (n % 4 === 2) await this.#pause();
      if (n % 4 === 3) await this.#partition();
      if (n % 5 === 4) await this.#drain();
      if (n % 5 === 0) await this.#restartPostgres();
      console.log(
        `${n} of ${kills} kills, ${this.#traffic.toOwners.length} to accounts, ${this.#traffic.accepted.length} of them, failover worst ${quantile(this.#killed, 1)} ms`,
      );
    }
  }

  async #kill(n: number): Promise<void> {
    const worker = this.#pick(n);
    const accounts = await this.#accountsOf(worker);
    await sleep(this.#random() * 1_500);
    const killedAt = performance.now();
    await this.#cell.end(worker, 'SIGKILL');
    await this.#elsewhere(`kill ${n}`, accounts, killedAt, this.#killed);
    await this.#cell.restart(worker);
    this.#note('kill -9');
    // So that it takes accounts before the next one ends.
    await sleep(500);
  }

  /** Its process sleeps beyond its lease and continues without knowing. */
  async #pause(): Promise<void> {
    const worker = await this.#pickHolder();
    const accounts = await this.#accountsOf(worker);
    const at = performance.now();
    worker.child.kill('SIGSTOP');
    await this.#elsewhere('pause', accounts, at, this.#others);
    await sleep(Math.max(0, BEYOND_LEASE_MS - (performance.now() - at)));
    const before = this.#watch.late.length;
    worker.child.kill('SIGCONT');
    await sleep(3_000);
    const acted = this.#watch.late.slice(before);
    if (acted.length > 0) this.#faults.push(`a paused worker acted again: ${acted.join(', ')}`);
    this.#note('pause');
  }

  async #partition(): Promise<void> {
    const worker = await this.#pickHolder();
    const accounts = await this.#accountsOf(worker);
    const at = performance.now();
    worker.line.cut();
    await this.#elsewhere('partition', accounts, at, this.#others);
    worker.line.mend();
    await sleep(3_000);
    this.#note('partition');
  }

  async #drain(): Promise<void> {
    const worker = await this.#pickHolder();
    const accounts = await this.#accountsOf(worker);
    const at = performance.now();
    await this.#cell.end(worker, 'SIGTERM');
    await this.#elsewhere('drain', accounts, at, []);
    const over = performance.now();
    // What was sent until the end needs a moment to arrive.
    const most = DRAIN_MS * this.#options.slack;
    await sleep(most + 2_000);
    const delay = this.#traffic.longestDelay(at, over);
    this.#drains.push(delay);
    if (Math.max(delay.received, delay.sent) > most)
      this.#faults.push(`a drain delayed a message: ${JSON.stringify(delay)}`);
    await this.#cell.restart(worker);
    this.#note('drain');
  }

  async #restartPostgres(): Promise<void> {
    await this.#cell.killPostgres();
    await this.#until('all accounts to be connected after PostgreSQL restarted', () =>
      this.#traffic.accounts.every(({ phone }) => this.#watch.isOnline(phone)),
    );
    this.#note('PostgreSQL killed');
  }

  #pick(n: number): CellWorker {
    const { workers } = this.#cell;
    const worker = workers[(n + Math.floor(this.#random() * 2)) % workers.length];
    if (worker === undefined) throw new Error('a cell without workers');
    return worker;
  }

  /** One that holds accounts: others have nothing to lose. */
  async #pickHolder(): Promise<CellWorker> {
    let most: { worker: CellWorker; count: number } | null = null;
    for (const worker of this.#cell.workers) {
      const { length: count } = await this.#cell.heldBy(worker);
      if (most === null || count > most.count) most = { worker, count };
    }
    if (most === null) throw new Error('a cell without workers');
    return most.worker;
  }

  async #accountsOf(worker: CellWorker): Promise<CellAccount[]> {
    const ids = await this.#cell.heldBy(worker);
    const rows = await this.#cell.sql<{ id: string; name: string }>(
      'SELECT id, name FROM relay.accounts',
    );
    const names = new Set(
      rows.filter(({ id }) => ids.includes(Number(id))).map(({ name }) => name),
    );
    return this.#traffic.accounts.filter(({ name }) => names.has(name));
  }

  async #elsewhere(
    what: string,
    accounts: readonly CellAccount[],
    since: number,
    times: number[],
  ): Promise<void> {
    await this.#until(`the accounts to be elsewhere after ${what}`, () =>
      accounts.every(({ phone }) => this.#watch.cameBack(phone, since)),
    );
    for (const { phone } of accounts) times.push(this.#watch.connectedAt(phone) - since);
  }

  async #until(what: string, holds: () => boolean): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (!holds()) {
      if (performance.now() > end) {
        this.#faults.push(`waited in vain for ${what}`);
        return;
      }
      await sleep(20);
    }
  }

  #note(what: string): void {
    this.#done.set(what, (this.#done.get(what) ?? 0) + 1);
  }

  async report(): Promise<Omit<FailoverReport, 'seconds'>> {
    await this.#settle();
    const { seed, workers, accounts } = this.#options;
    const { toOwners, accepted } = this.#traffic;
    const kept = await this.#keptTexts();
    const seen = this.#seenTexts();
    const inbox = compare(toOwners, kept);
    const outbox = compare(accepted, seen);
    const disordered = [...misplaced(toOwners, kept), ...misplaced(accepted, seen)];
    const { undecryptable } = this.#cell.simulator.network.counts();
    const p99 = quantile(this.#killed, 0.99);
    return {
      seed,
      workers,
      accounts,
      done: Object.fromEntries(this.#done),
      received: toOwners.length,
      sent: accepted.length,
      failoverMs: { p50: quantile(this.#killed, 0.5), p99, worst: quantile(this.#killed, 1) },
      otherMs: { p50: quantile(this.#others, 0.5), worst: quantile(this.#others, 1) },
      drainDelayMs: {
        received: Math.round(Math.max(0, ...this.#drains.map(({ received }) => received))),
        sent: Math.round(Math.max(0, ...this.#drains.map(({ sent }) => sent))),
      },
      overlaps: this.#watch.overlaps,
      lateStanzas: this.#watch.late.length,
      lost: inbox.missing.length,
      doubled: inbox.twice.length,
      outOfOrder: disordered.length,
      undecryptable: undecryptable + this.#retriesAsked,
      unseen: outbox.missing.length,
      seenTwice: outbox.twice.length,
      faults: [
        ...this.#faults,
        ...this.#cell.endedThemselves,
        ...(p99 > FAILOVER_MS * this.#options.slack ? [`failover p99 ${p99} ms`] : []),
        ...this.#watch.late.map((line) => `a replaced connection acted: ${line}`),
        ...inbox.missing.map((text) => `lost: ${text}`),
        ...inbox.twice.map((text) => `doubled: ${text}`),
        ...disordered.map((text) => `out of order: ${text}`),
        ...outbox.missing.map((text) => `accepted and never seen: ${text}`),
        ...outbox.twice.map((text) => `seen twice: ${text}`),
        ...this.#complaints,
        ...(this.#retriesAsked > 0 ? [`Relay asked ${this.#retriesAsked} times again`] : []),
        ...this.#cell.simulator.network.failures.map((failure) => `the simulator: ${failure}`),
      ],
    };
  }

  /** Waits until everything is where it belongs, or nothing moves any more. */
  async #settle(): Promise<void> {
    let last = '';
    for (let still = 0; still < 60; still++) {
      const open = await this.#traffic.settle();
      const kept = new Set(await this.#keptTexts()).size;
      const seen = new Set(this.#seenTexts()).size;
      const { toOwners, accepted } = this.#traffic;
      if (open === 0 && kept >= toOwners.length && seen >= accepted.length) return;
      if (`${open} ${kept} ${seen}` !== last) still = 0;
      last = `${open} ${kept} ${seen}`;
      await sleep(500);
    }
  }

  async #keptTexts(): Promise<string[]> {
    const rows = await this.#cell.sql<{ body: string }>(
      "SELECT body FROM relay.messages WHERE NOT from_me AND body LIKE 'in %' ORDER BY account_id, id",
    );
    return rows.map(({ body }) => body);
  }

  #seenTexts(): string[] {
    return this.#traffic.friends.flatMap((friend) =>
      friend
        .messages()
        .flatMap(({ fromMe, text }) => (!fromMe && text?.startsWith('out ') ? text : [])),
    );
  }
}

function compare(said: readonly { readonly text: string }[], found: readonly string[]) {
  const times = new Map<string, number>();
  for (const text of found) times.set(text, (times.get(text) ?? 0) + 1);
  const texts = said.map(({ text }) => text);
  return {
    missing: texts.filter((text) => !times.has(text)),
    twice: texts.filter((text) => (times.get(text) ?? 0) > 1),
  };
}

/** Messages that came after a later one of the same account and friend. */
function misplaced(
  said: readonly { readonly text: string; readonly account: string }[],
  found: readonly string[],
): string[] {
  const place = new Map(found.map((text, index) => [text, index]));
  const newest = new Map<string, number>();
  return said.flatMap(({ text, account }) => {
    const at = place.get(text);
    const lane = `${account} ${Number(text.replace(/\D/g, '')) % 4}`;
    const before = newest.get(lane) ?? -1;
    if (at === undefined) return [];
    newest.set(lane, Math.max(at, before));
    return at < before ? [text] : [];
  });
}
