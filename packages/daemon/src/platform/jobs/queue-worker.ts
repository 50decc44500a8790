// Fetches the jobs of one queue and runs them concurrently, up to a limit. A job whose handler failed is retried with
// backoff; one that failed for good is removed so that its key continues without it.
import { RelayError } from '@relay/contract/errors';
import type { AccountId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import type { Db as BossDb, ConnectionOptions, JobWithMetadata, PgBoss } from 'pg-boss';
import type { SharedDatabase, Transaction } from '../db/database.ts';
import { type NextLook, PollLoop } from '../poll-loop.ts';
import { type JobData, QUEUES, type QueueName } from './queues.ts';

export interface Job<Q extends QueueName> {
  readonly id: string;
  readonly data: JobData[Q];
  /** 1 for the first attempt. */
  readonly attempt: number;
  /**
   * Settles the job inside the handler's own transaction: effect and job commit together. `others` of the same queue,
   * whose effects are in the same transaction, are settled by the same statement.
   */
  complete(tx: Transaction, others?: readonly Job<Q>[]): Promise<void>;
}

export type JobHandler<Q extends QueueName> = (job: Job<Q>, signal: AbortSignal) => Promise<void>;

interface QueueWorkerOptions {
  readonly boss: PgBoss;
  readonly queue: QueueName;
  readonly concurrency: number;
  readonly log: Log;
  readonly source: JobSource;
  /** Makes jobs ready that are marked as running and are not. */
  readonly reclaim: (running: readonly string[]) => Promise<number>;
  /** Makes a running job ready again without counting the attempt. */
  readonly giveBack: (job: string) => Promise<void>;
  /** Whether this process still holds the account's lease; without an account, all its leases. */
  readonly isServing: (account: AccountId | null) => Promise<boolean>;
  /** Called after a look that left no ready job behind: others may be ready later. */
  readonly onLooked: () => void;
}

interface RunningJob {
  readonly account: AccountId | null;
  readonly done: Promise<void>;
}

interface JobAttempt {
  readonly id: string;
  readonly retryCount: number;
}

type FetchedJob = JobWithMetadata<JobData[QueueName]>;

/** The account that a job belongs to; null for housekeeping of all accounts. */
const accountOf = ({ data }: FetchedJob): AccountId | null =>
  'account' in data ? data.account : null;

/** After a failed look. */
const JOB_RETRY_MS = 500;
/** Fetching from a long queue costs in proportion to its length, so it may take at most a third of the time. */
const FETCH_PAUSE_FACTOR = 2;

export class QueueWorker {
  readonly #options: QueueWorkerOptions;
  readonly #running = new Map<string, RunningJob>();
  /** Jobs that were settled in a transaction of their handler. */
  readonly #settled = new WeakSet<Job<QueueName>>();
  /** By account; with the key null, for jobs of all accounts. */
  readonly #handlers = new Map<AccountId | null, JobHandler<QueueName>>();
  readonly #abort = new AbortController();
  readonly #loop = new PollLoop({
    look: () => this.#look(),
    failed: (error) => {
      this.#options.log.warn('polling for jobs failed', { queue: this.#options.queue, error });
      return JOB_RETRY_MS;
    },
  });
  /** How long to wait before fetching from a long queue again, in milliseconds. */
  #pauseMs = 0;
  /** Whether anything but the clock has woken it since its last look. */
  #isHinted = true;

  constructor(options: QueueWorkerOptions) {
    this.#options = options;
  }

  handle(account: AccountId | null, handler: JobHandler<QueueName>): void {
    this.#handlers.set(account, handler);
  }

  start(): void {
    this.#loop.start();
  }

  wake(): void {
    this.#isHinted = true;
    this.#loop.hint();
  }

  wakeByClock(): void {
    this.#loop.hint();
  }

  async drop(account: AccountId, withinMs: number): Promise<void> {
    this.#handlers.delete(account);
    const its = [...this.#running.values()].filter((job) => job.account === account);
    await Promise.race([Promise.all(its.map(({ done }) => done)), sleep(withinMs)]);
  }

  async stop(withinMs: number): Promise<void> {
    await this.#loop.stop();
    const settled = Promise.all([...this.#running.values()].map(({ done }) => done));
    await Promise.race([settled, sleep(withinMs)]);
    this.#abort.abort();
    await Promise.race([settled, sleep(1_000)]);
  }

  async #look(): Promise<NextLook> {
    const { concurrency } = this.#options;
    if (this.#pauseMs > 0 && this.#free < concurrency / 4) await sleep(this.#pauseMs);
    const free = this.#free;
    if (free === 0 || this.#loop.isStopping) return Number.POSITIVE_INFINITY;
    const began = performance.now();
    const idle = this.#pauseMs === 0 && free === concurrency;
    const isHinted = this.#isHinted;
    this.#isHinted = false;
    const fetched = await this.#fetch(free, idle);
    for (const job of fetched ?? []) this.#begin(job);
    const isCrowded = fetched?.length === free;
    this.#pauseMs = isCrowded ? FETCH_PAUSE_FACTOR * (performance.now() - began) : 0;
    // The clock leaves out a crowded queue, so it has to look once that is over.
    if (isCrowded || fetched === null) this.#isHinted = true;
    if (fetched === null) return JOB_RETRY_MS;
    if (isCrowded) return 'more';
    // What the clock has seen and cannot be fetched yet waits for the end of another job.
    if (isHinted) this.#options.onLooked();
    return Number.POSITIVE_INFINITY;
  }

  /** Whether more jobs were ready than it had room for; then it continues by itself. */
  get isCrowded(): boolean {
    return this.#pauseMs > 0;
  }

  get #free(): number {
    return this.#options.concurrency - this.#running.size;
  }

  async #fetch(batchSize: number, idle: boolean): Promise<FetchedJob[] | null> {
    try {
      return await this.#options.boss.fetch<JobData[QueueName]>(this.#options.queue, {
        batchSize,
        includeMetadata: true,
        db: this.#options.source(idle, this.#accounts),
      });
    } catch (error) {
      this.#options.log.warn('fetching jobs failed', { queue: this.#options.queue, error });
      // The answer may have been lost: jobs that the fetch marked as running would have no worker.
      await this.#options.reclaim([...this.#running.keys()]).catch(() => 0);
      return null;
    }
  }

  #begin(job: FetchedJob): void {
    const account = accountOf(job);
    const handler = this.#handlerOf(account);
    const running = handler === undefined ? this.#postpone(job) : this.#handle(job, handler);
    const done = running.finally(() => {
      this.#running.delete(job.id);
      // A job that was postponed must not be fetched again at once.
      if (handler !== undefined) this.wake();
    });
    this.#running.set(job.id, { account, done });
  }

  /** Where handlers of accounts exist, the one for all accounts runs only what belongs to none. */
  #handlerOf(account: AccountId | null): JobHandler<QueueName> | undefined {
    const ofAll = this.#handlers.get(null);
    const hasOthers = this.#handlers.size > (ofAll === undefined ? 0 : 1);
    return this.#handlers.get(account) ?? (hasOthers ? undefined : ofAll);
  }

  /** Those that are served here; null while one handler serves all. */
  get #accounts(): readonly AccountId[] | null {
    const accounts = [...this.#handlers.keys()].filter((account) => account !== null);
    return accounts.length === 0 ? null : accounts;
  }

  /** For a job of an account that was given up meanwhile. */
  async #postpone({ id }: FetchedJob): Promise<void> {
    await this.#insist(() => this.#options.giveBack(id));
  }

  async #handle(fetched: FetchedJob, handler: JobHandler<QueueName>): Promise<void> {
    const { boss, queue, log } = this.#options;
    const attempt = { id: fetched.id, retryCount: fetched.retryCount };
    const job: Job<QueueName> = {
      id: fetched.id,
      data: fetched.data,
      attempt: fetched.retryCount + 1,
      complete: async (tx, others = []) => {
        const jobs = [job, ...others];
        const attempts = jobs.map(({ id, attempt: nth }) => ({ id, retryCount: nth - 1 }));
        const { affected } = await this.#finish(attempts, { db: bossDbOver(tx) });
        // Another worker has a job now; rolling back keeps its effect from happening twice.
        if (affected !== jobs.length) throw new Error('this job belongs to another worker now');
        for (const one of jobs) this.#settled.add(one);
      },
    };
    try {
      await handler(job, this.#abort.signal);
      if (!this.#settled.has(job)) await this.#insist(() => this.#finish([attempt]));
    } catch (error) {
      // A job that the stop interrupted has not failed: it stays marked as running, and the next start makes it ready.
      if (this.#abort.signal.aborted) return;
      if (error instanceof RelayError && error.code === 'lease_lost') return this.#leave(fetched);
      log.error('job failed', { queue, job: fetched.id, attempt: job.attempt, error });
      await this.#insist(() =>
        boss.fail(queue, attempt, { message: error instanceof Error ? error.name : 'failed' }),
      );
      this.#options.onLooked();
      const isLast = fetched.retryCount >= fetched.retryLimit;
      if (isLast) await this.#insist(() => this.#stepAside(fetched.id));
    }
  }

  /** A finished job is deleted; one that a schedule made stays for an hour, because pg-boss recognizes its time by it. */
  #finish(attempts: JobAttempt[], options?: ConnectionOptions): Promise<{ affected?: number }> {
    const { boss, queue } = this.#options;
    return QUEUES[queue].order === 'by key'
      ? boss.deleteJob(queue, attempts, options)
      : boss.complete(queue, attempts, null, options);
  }

  /** Another process acts for the account now: the job belongs to it, and this worker runs no more of its jobs. */
  async #leave(job: FetchedJob): Promise<void> {
    const { log, queue, isServing } = this.#options;
    const account = accountOf(job);
    await this.#insist(() => this.#options.giveBack(job.id));
    // A restore replaces the lease for a moment.
    if (await isServing(account).catch(() => true)) return;
    log.warn('lease lost; fetching no more jobs', {
      queue,
      ...(account === null ? {} : { account }),
    });
    // A handler for all accounts serves only one.
    if (!this.#handlers.delete(account)) this.#handlers.clear();
    if (this.#handlers.size === 0) this.#loop.end();
  }

  /** The dead letter keeps the job for a person to see; the original would block its key. */
  async #stepAside(id: string): Promise<void> {
    if (QUEUES[this.#options.queue].order === 'by key')
      await this.#options.boss.deleteJob(this.#options.queue, id);
  }

  /** The database may be unavailable for a moment; an unsettled job would be stuck until it counts as lost. */
  async #insist(settle: () => Promise<unknown>): Promise<void> {
    for (let wait = 50; ; wait = Math.min(wait * 2, 1_000)) {
      try {
        await settle();
        return;
      } catch (error) {
        this.#options.log.warn('completing a job failed', { queue: this.#options.queue, error });
        if (this.#loop.isStopping) return;
        await sleep(wait);
      }
    }
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

/** Runs pg-boss's statements in the caller's transaction. */
export function bossDbOver(tx: Transaction): BossDb {
  return {
    executeSql: async (text, values) => {
      const { rows } = await tx.executeQuery<Record<string, unknown>>({
        sql: text,
        parameters: values ?? [],
        query: { kind: 'RawNode', sqlFragments: [], parameters: [] },
        queryId: { queryId: 'jobs' },
      });
      return { rows };
    },
  };
}

// How jobs are fetched. A fetch does not wait for the disk: one that a power cut undoes is repeated, and a worker that
// ran such a job finds that it is no longer its own.

/**
 * Idle queues use a prepared statement: they are asked with the same query, and few jobs wait in them. `accounts`: only
 * their jobs, and those of no account; null: all jobs.
 */
export type JobSource = (idle: boolean, accounts: readonly AccountId[] | null) => BossDb;

export function createJobSource({ pool, prepares }: SharedDatabase): JobSource {
  return (idle, accounts) => ({
    executeSql: (text, values = []) => {
      const list = accounts === null ? null : `{${accounts.join()}}`;
      if (idle && prepares) {
        // Planning is most of the cost of a fetch that finds one job.
        const limited = ofAccounts(text, `$${values.length + 1}`);
        return pool.query({
          name: statementName(limited),
          text: limited,
          values: [...values, list],
        });
      }
      return pool.query(ofAccounts(text, list === null ? 'NULL' : `'${list}'`), values);
    },
  });
}

const FETCH_CONDITION = 'NOT j.blocked';
/** For the statement's own transaction, so that a fetch is one statement and does not wait for the disk. */
const WITHOUT_FLUSH = "(SELECT set_config('synchronous_commit', 'off', true)) = 'off'";

/** pg-boss itself cannot leave jobs to another process by what is in them. */
function ofAccounts(text: string, accounts: string): string {
  if (!text.includes(FETCH_CONDITION))
    throw new Error('pg-boss fetches in a way that is not known');
  return text.replace(
    FETCH_CONDITION,
    `${FETCH_CONDITION} AND ${WITHOUT_FLUSH} AND (${accounts}::bigint[] IS NULL OR j.data->>'account' IS NULL
      OR (j.data->>'account')::bigint = ANY(${accounts}::bigint[]))`,
  );
}

const statementNames = new Map<string, string>();

/** Each queue has one text. */
function statementName(text: string): string {
  const name = statementNames.get(text) ?? `relay_fetch_${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}
