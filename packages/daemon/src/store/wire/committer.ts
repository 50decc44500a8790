// Writes the units of every account in the order they came; all that waits goes into one transaction.
// Invariant: what is durable of an account is a prefix of what it submitted. When that can no longer be
// known, its store faults and must be opened again.
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { AccountId } from '@relay/core/ids';
import type { WireUnit } from '@relay/core/ports/wire-store';
import { WireFault } from '@relay/core/ports/wire-store';
import type { ConnectionTarget } from '../database.ts';
import { type Owner, toQuery, type Work } from './batch.ts';
import { WireConnection } from './connection.ts';

export interface CommitterOptions {
  /** How long a batch gathers once messages come several at a time. A lone one never waits for others. */
  readonly delayMs?: number;
  readonly maxUnits?: number;
  readonly maxBytes?: number;
  readonly prepare?: boolean;
}

/** The store of one account, as the committer sees it. */
export interface Member extends Owner {
  readonly fault: WireFault | null;
  committed(units: number): void;
  /** Ends with the member leaving. */
  fail(fault: WireFault): void;
}

interface Entry {
  readonly owner: Member;
  readonly work: Work;
  readonly bytes: number;
  readonly done: PromiseWithResolvers<void>;
}

/** One message sent: a unit for its recipient, another for the sender's own phone. */
const LONE = 2;

/** Faults of the values themselves: of a batch, only the unit that holds them is to blame. */
const OF_THE_DATA = /^(22|23|54)...$/;

export class Committer {
  readonly #target: ConnectionTarget;
  readonly #options: Required<CommitterOptions>;
  readonly #members = new Map<AccountId, Member>();
  readonly #queue: Entry[] = [];
  #connection: Promise<WireConnection> | null = null;
  #running: Promise<void> | null = null;
  #lastBatch = 0;

  constructor(target: ConnectionTarget, options: CommitterOptions = {}) {
    this.#target = target;
    this.#options = { delayMs: 1, maxUnits: 512, maxBytes: 8 << 20, prepare: true, ...options };
  }

  /** Connects if need be, and lets go of a store that was open for the account. */
  async admit(account: AccountId): Promise<void> {
    this.#dismiss(account);
    const connection = this.#connect();
    try {
      await connection;
    } catch (cause) {
      this.#lose(connection, cause);
      throw new WireFault('unavailable', 'the database does not answer', { cause });
    }
  }

  join(member: Member): void {
    this.#dismiss(member.account);
    this.#members.set(member.account, member);
  }

  /** What it still had waiting is not written. */
  leave(member: Member, fault: WireFault): void {
    if (this.#members.get(member.account) === member) this.#members.delete(member.account);
    const others = this.#queue.filter((entry) => entry.owner !== member);
    const own = this.#queue.filter((entry) => entry.owner === member);
    this.#queue.splice(0, this.#queue.length, ...others);
    for (const { done } of own) done.reject(fault);
  }

  submit(owner: Member, work: Work): Promise<void> {
    const done = Promise.withResolvers<void>();
    // Whoever does not wait for a unit learns of the fault by `onFault`.
    done.promise.catch(() => {});
    if (owner.fault !== null) done.reject(owner.fault);
    else {
      this.#queue.push({ owner, work, bytes: work === 'forget' ? 0 : bytesOf(work), done });
      this.#running ??= this.#run();
    }
    return done.promise;
  }

  /** Writes what waits, then ends. */
  async close(): Promise<void> {
    await this.#running;
    const connection = this.#connection;
    if (connection === null) return;
    this.#lose(connection, new Error('the committer is closed'));
    await connection.then((open) => open.close()).catch(() => {});
  }

  #dismiss(account: AccountId): void {
    this.#members.get(account)?.fail(new WireFault('lease_lost', 'the store was opened again'));
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      await turn();
      if (this.#lastBatch > LONE && this.#options.delayMs > 0) await sleep(this.#options.delayMs);
      const batch = this.#take();
      this.#lastBatch = batch.length;
      if (batch.length > 0) await this.#write(batch);
    }
    this.#running = null;
  }

  #take(): Entry[] {
    let count = 0;
    let bytes = 0;
    for (const entry of this.#queue) {
      const alone = entry.work === 'forget';
      bytes += entry.bytes;
      const full = count === this.#options.maxUnits || bytes > this.#options.maxBytes;
      if (count > 0 && (alone || full)) break;
      count++;
      if (alone) break;
    }
    return this.#queue.splice(0, count);
  }

  async #write(batch: readonly Entry[]): Promise<void> {
    const connection = this.#connect();
    try {
      settle(batch, await (await connection).write(toQuery(batch)));
    } catch (error) {
      if (!isOfTheData(error)) {
        this.#lose(connection, error);
        rejectAll(batch);
      } else if (batch.length > 1) await this.#writeSingly(batch);
      else {
        batch[0]?.owner.fail(unavailable(error));
        rejectAll(batch);
      }
    }
  }

  async #writeSingly(batch: readonly Entry[]): Promise<void> {
    for (const entry of batch) {
      // Nothing of an account is written after a unit of its that was not.
      if (entry.owner.fault === null) await this.#write([entry]);
      else rejectAll([entry]);
    }
  }

  #connect(): Promise<WireConnection> {
    if (this.#connection !== null) return this.#connection;
    const connection: Promise<WireConnection> = WireConnection.open(this.#target, {
      prepare: this.#options.prepare,
      onLost: (error) => this.#lose(connection, error),
    });
    this.#connection = connection;
    return connection;
  }

  /** Memory is ahead of the database now, or the database of memory: nobody may go on from here. */
  #lose(connection: Promise<WireConnection>, error: unknown): void {
    // What is said of a connection that was replaced does not concern those who use the new one.
    if (this.#connection !== connection) return;
    this.#connection = null;
    connection.then((open) => open.close()).catch(() => {});
    for (const member of [...this.#members.values()]) member.fail(unavailable(error));
  }
}

function settle(batch: readonly Entry[], held: ReadonlySet<number>): void {
  const counts = new Map<Member, number>();
  for (const { owner, done } of batch) {
    if (!held.has(owner.account)) {
      owner.fail(new WireFault('lease_lost', 'another worker acts for this account'));
    }
    if (owner.fault !== null) done.reject(owner.fault);
    else {
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
      done.resolve();
    }
  }
  for (const [owner, count] of counts) owner.committed(count);
}

function rejectAll(batch: readonly Entry[]): void {
  for (const { owner, done } of batch) done.reject(owner.fault);
}

function bytesOf(unit: WireUnit): number {
  let bytes = unit.credentials?.length ?? 0;
  for (const { value } of unit.keys ?? []) bytes += value?.length ?? 0;
  for (const { plain } of unit.journal ?? []) bytes += plain.length;
  for (const { stanza, content } of unit.inbox ?? []) bytes += stanza.length + content.length;
  return bytes;
}

const isOfTheData = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && OF_THE_DATA.test(String(error.code));

const unavailable = (cause: unknown): WireFault =>
  new WireFault('unavailable', 'the database did not take a write', { cause });
