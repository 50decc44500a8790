// Writes the units of every account in the order of submission; all waiting units go into one transaction. Invariant:
// what is durable of an account is a prefix of what it submitted. When that can no longer be known, its store faults
// and must be opened again.
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { AccountId } from '@relay/contract/ids';
import { TransportStoreFault, type TransportUnit } from '@relay/core/ports/transport';
import pg from 'pg';
import type { ConnectionTarget } from '../database.ts';
import { type BatchQuery, batchToQuery, type CommitterWork, type UnitOwner } from './batch.ts';

export interface CommitterOptions {
  /**
   * How long a batch collects units once several messages arrive at a time. A single message never waits for others.
   */
  readonly delayMs?: number;
  readonly maxUnits?: number;
  readonly maxBytes?: number;
  readonly prepare?: boolean;
}

/** The store of one account, as the committer sees it. */
export interface CommitterMember extends UnitOwner {
  readonly fault: TransportStoreFault | null;
  onCommitted(units: number): void;
  /** Also removes the member from the committer. */
  fail(fault: TransportStoreFault): void;
}

interface Entry {
  readonly owner: CommitterMember;
  readonly work: CommitterWork;
  readonly bytes: number;
  readonly done: PromiseWithResolvers<void>;
}

/** One sent message: a unit for its recipient, another for the sender's own phone. */
const SINGLE_MESSAGE_UNITS = 2;

/** Errors in the values themselves: only the unit that contains them is at fault, not the batch. */
const DATA_ERROR = /^(22|23|54)...$/;

export class Committer {
  readonly #target: ConnectionTarget;
  readonly #options: Required<CommitterOptions>;
  readonly #members = new Map<AccountId, CommitterMember>();
  readonly #queue: Entry[] = [];
  #connection: Promise<CommitterConnection> | null = null;
  #running: Promise<void> | null = null;
  #lastBatch = 0;

  constructor(target: ConnectionTarget, options: CommitterOptions = {}) {
    this.#target = target;
    this.#options = { delayMs: 1, maxUnits: 512, maxBytes: 8 << 20, prepare: true, ...options };
  }

  /** Connects if needed, and replaces a store that was open for the account. */
  async connectFor(account: AccountId): Promise<void> {
    this.#dismiss(account);
    const connection = this.#connect();
    try {
      await connection;
    } catch (cause) {
      this.#lose(connection, cause);
      throw new TransportStoreFault('unavailable', 'the database does not answer', { cause });
    }
  }

  join(member: CommitterMember): void {
    this.#dismiss(member.account);
    this.#members.set(member.account, member);
  }

  /** Its waiting units are not written. */
  leave(member: CommitterMember, fault: TransportStoreFault): void {
    if (this.#members.get(member.account) === member) this.#members.delete(member.account);
    const others = this.#queue.filter((entry) => entry.owner !== member);
    const own = this.#queue.filter((entry) => entry.owner === member);
    this.#queue.splice(0, this.#queue.length, ...others);
    for (const { done } of own) done.reject(fault);
  }

  submit(owner: CommitterMember, work: CommitterWork): Promise<void> {
    const done = Promise.withResolvers<void>();
    // Callers that do not await a unit learn of the fault through `onFault`.
    done.promise.catch(() => {});
    if (owner.fault !== null) done.reject(owner.fault);
    else {
      this.#queue.push({ owner, work, bytes: work === 'forget' ? 0 : bytesOf(work), done });
      this.#running ??= this.#run();
    }
    return done.promise;
  }

  /** Writes what is waiting, then closes. */
  async close(): Promise<void> {
    await this.#running;
    const connection = this.#connection;
    if (connection === null) return;
    this.#lose(connection, new Error('the committer is closed'));
    await connection.then((open) => open.close()).catch(() => {});
  }

  #dismiss(account: AccountId): void {
    this.#members
      .get(account)
      ?.fail(new TransportStoreFault('lease_lost', 'the store was opened again'));
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      await turn();
      if (this.#lastBatch > SINGLE_MESSAGE_UNITS && this.#options.delayMs > 0)
        await sleep(this.#options.delayMs);
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
      settle(batch, await (await connection).write(batchToQuery(batch)));
    } catch (error) {
      if (!isDataError(error)) {
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
      // After a failed unit, skip the account's later units.
      if (entry.owner.fault === null) await this.#write([entry]);
      else rejectAll([entry]);
    }
  }

  #connect(): Promise<CommitterConnection> {
    if (this.#connection !== null) return this.#connection;
    const connection: Promise<CommitterConnection> = CommitterConnection.open(this.#target, {
      prepare: this.#options.prepare,
      onLost: (error) => this.#lose(connection, error),
    });
    this.#connection = connection;
    return connection;
  }

  /** Memory and database may differ now: every store that uses the connection must stop. */
  #lose(connection: Promise<CommitterConnection>, error: unknown): void {
    // An error of a connection that was already replaced does not concern users of the new one.
    if (this.#connection !== connection) return;
    this.#connection = null;
    connection.then((open) => open.close()).catch(() => {});
    for (const member of [...this.#members.values()]) member.fail(unavailable(error));
  }
}

function settle(batch: readonly Entry[], held: ReadonlySet<number>): void {
  const counts = new Map<CommitterMember, number>();
  for (const { owner, done } of batch) {
    if (!held.has(owner.account)) {
      owner.fail(new TransportStoreFault('lease_lost', 'another worker acts for this account'));
    }
    if (owner.fault !== null) done.reject(owner.fault);
    else {
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
      done.resolve();
    }
  }
  for (const [owner, count] of counts) owner.onCommitted(count);
}

function rejectAll(batch: readonly Entry[]): void {
  for (const { owner, done } of batch) done.reject(owner.fault);
}

function bytesOf(unit: TransportUnit): number {
  let bytes = unit.credentials?.length ?? 0;
  for (const { value } of unit.keys ?? []) bytes += value?.length ?? 0;
  for (const { plain } of unit.journal ?? []) bytes += plain.length;
  for (const { stanza, content } of unit.inbox ?? []) bytes += stanza.length + content.length;
  return bytes;
}

const isDataError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && DATA_ERROR.test(String(error.code));

const unavailable = (cause: unknown): TransportStoreFault =>
  new TransportStoreFault('unavailable', 'the database did not take a write', { cause });

// The connection that writes, outside the pool: its statements run one after the other, so what is durable is a prefix
// of what was sent. Once it is lost, the outcome of the last statement is unknown.

const SESSION_SETTINGS = {
  search_path: 'relay',
  timezone: 'UTC',
  // The plan never depends on the arrays, and planning costs more than executing.
  plan_cache_mode: 'force_generic_plan',
  lock_timeout: '10s',
  statement_timeout: '30s',
};

/** A server that does not even cancel by itself counts as gone. */
const SILENCE_MS = 40_000;

interface CommitterConnectionOptions {
  /** Off for a connection pooler that passes a connection on after every transaction. */
  readonly prepare: boolean;
  onLost(error: unknown): void;
}

class CommitterConnection {
  readonly #client: pg.Client;
  readonly #prepare: boolean;

  private constructor(client: pg.Client, prepare: boolean) {
    this.#client = client;
    this.#prepare = prepare;
  }

  static async open(
    target: ConnectionTarget,
    options: CommitterConnectionOptions,
  ): Promise<CommitterConnection> {
    const client = new pg.Client({
      ...target,
      options: Object.entries(SESSION_SETTINGS)
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(' '),
      application_name: 'relay wire',
      connectionTimeoutMillis: 10_000,
      query_timeout: SILENCE_MS,
      keepAlive: true,
    });
    client.on('error', (error) => options.onLost(error));
    client.on('end', () => options.onLost(new Error('the connection ended')));
    await client.connect();
    return new CommitterConnection(client, options.prepare);
  }

  /** Returns the accounts whose lease we hold: nothing was written for the others. */
  async write({ name, text, values }: BatchQuery): Promise<ReadonlySet<number>> {
    const { rows } = await this.#client.query<[string]>({
      ...(this.#prepare ? { name } : {}),
      text,
      values,
      rowMode: 'array',
    });
    return new Set(rows.map(([account]) => Number(account)));
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {});
  }
}
