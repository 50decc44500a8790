// Our interface to pg-boss, and the workers that run the jobs. Jobs are enqueued inside the caller's transaction and
// settled inside the handler's, so that a job and its effect commit or roll back together.

import { randomUUID } from 'node:crypto';
import { RelayError } from '@relay/contract/errors';
import type { AccountId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import { longestWait } from '@relay/core/retry';
import { sql } from 'kysely';
import {
  type Db as BossDb,
  type ConnectionOptions,
  type JobWithMetadata,
  PgBoss,
  type Queue,
} from 'pg-boss';
import type { Database, Db, Transaction } from '../db/database.ts';
import { isLeaseHeld, type Lease } from '../db/lease.ts';
import { type NextLook, PollLoop } from '../poll-loop.ts';
import {
  DEAD_LETTER_QUEUE,
  type JobData,
  QUEUE_NAMES,
  QUEUES,
  type QueueName,
  type QueueSpec,
  RETIRED_QUEUES,
} from './queues.ts';

const SCHEMA = 'relay_jobs';

interface NewJob<Q extends QueueName> {
  /** Jobs of one key run one after the other. */
  readonly key: string;
  readonly data: JobData[Q];
  /** Runs no earlier than this many seconds from now; other jobs of its key do not wait for it. */
  readonly delaySeconds?: number;
}

export interface Job<Q extends QueueName> {
  readonly id: string;
  readonly data: JobData[Q];
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Settles the job inside the handler's own transaction: effect and job commit together. */
  complete(tx: Transaction): Promise<void>;
}

export type JobHandler<Q extends QueueName> = (job: Job<Q>, signal: AbortSignal) => Promise<void>;

interface JobCounts {
  readonly waiting: number;
  readonly running: number;
  readonly dead: readonly { readonly queue: string; readonly count: number }[];
}

export class Jobs {
  readonly #boss: PgBoss;
  readonly #db: Db;
  readonly #source: JobSource;
  readonly #log: Log;
  readonly #workers = new Map<QueueName, QueueWorker>();
  readonly #leases: Lease[] = [];

  private constructor(boss: PgBoss, database: Database, log: Log) {
    this.#boss = boss;
    this.#db = database.kysely;
    this.#source = createJobSource(database);
    this.#log = log;
  }

  static async start(database: Database, log: Log): Promise<Jobs> {
    const { pool } = database;
    const boss = new PgBoss({
      db: { executeSql: (text, values) => pool.query(text, values) },
      schema: SCHEMA,
      // Each of these is a query on a timer; correctness does not need them more often.
      superviseIntervalSeconds: 60,
      maintenanceIntervalSeconds: 3600,
      monitorVacuum: false,
    });
    // A database failure is reported where the query fails; this would only report it twice.
    boss.on('error', (error) => log.warn('job queue', { error }));
    await boss.start();
    await putQueues(boss);
    return new Jobs(boss, database, log);
  }

  /** Creates or migrates the queue's tables, for a daemon whose role may not. */
  static async install(database: Database, log: Log): Promise<void> {
    const jobs = await Jobs.start(database, log);
    await jobs.stop(0);
    // Builds the indexes that pg-boss would build later, when the daemon's role may not.
    const { pool } = database;
    const { rows } = await pool.query<{ id: string; command: string }>(
      `SELECT id, command FROM ${SCHEMA}.bam WHERE status = 'pending' ORDER BY created_on`,
    );
    for (const { id, command } of rows) {
      await pool.query(command);
      const done = `UPDATE ${SCHEMA}.bam SET status = 'completed', completed_on = now() WHERE id = $1`;
      await pool.query(done, [id]);
    }
  }

  /** Runs inside the caller's transaction: the job exists exactly if that commits. */
  async enqueue<Q extends QueueName>(
    tx: Transaction,
    queue: Q,
    jobs: readonly NewJob<Q>[],
  ): Promise<void> {
    if (jobs.length === 0) return;
    await this.#boss.insert(
      queue,
      jobs.map(({ key, data, delaySeconds = 0 }) => ({
        id: nextJobId(),
        singletonKey: key,
        data,
        ...(delaySeconds > 0 ? { startAfter: delaySeconds } : {}),
      })),
      { db: bossDbOver(tx), returnId: false },
    );
  }

  /** Those of the given keys that have no waiting or running job. */
  async keysWithoutJob(
    tx: Transaction,
    queue: QueueName,
    keys: readonly string[],
  ): Promise<string[]> {
    const { rows } = await sql<{ key: string }>`
      SELECT key FROM unnest(${keys}::text[]) key WHERE key NOT IN (
        SELECT singleton_key FROM ${jobs}
        WHERE name = ${queue} AND state < 'completed' AND singleton_key IS NOT NULL)`.execute(tx);
    return rows.map(({ key }) => key);
  }

  /** Makes delayed jobs of these keys ready when this transaction commits. */
  async makeReadyNow(tx: Transaction, queue: QueueName, keys: readonly string[]): Promise<void> {
    await sql`UPDATE ${jobs} SET start_after = now() WHERE name = ${queue} AND state = 'created'
      AND start_after > now() AND singleton_key = ANY(${keys}::text[])`.execute(tx);
  }

  /** Call after the commit: looks for jobs now instead of at the next poll. Losing it does no harm. */
  wake(queue: QueueName): void {
    this.#workers.get(queue)?.wake();
  }

  work<Q extends QueueName>(queue: Q, concurrency: number, handler: JobHandler<Q>): void {
    const worker = new QueueWorker({
      boss: this.#boss,
      queue,
      concurrency,
      handler: handler as JobHandler<QueueName>,
      log: this.#log,
      source: this.#source,
      reclaim: (running) => this.#reclaim([queue], running),
      giveBack: (job) => giveBack(this.#db, queue, job),
      isServing: () => this.#isServing(),
    });
    this.#workers.set(queue, worker);
    worker.start();
  }

  /**
   * A recurring job with its own time zone; replaces the previous one of the same queue. Runs that were missed while
   * the daemon or the machine was off are made up for by one job.
   */
  async every(
    queue: QueueName,
    cron: string,
    zone: string,
    data: JobData[QueueName],
  ): Promise<void> {
    await this.#boss.schedule(queue, cron, data, { tz: zone, missed: 'once' });
  }

  /**
   * Call when this worker has taken the account's lease, before `work`: jobs that the former holder left running become
   * ready again.
   */
  async adoptLease(lease: Lease): Promise<number> {
    this.#leases.push(lease);
    await freeKeys(this.#db, lease.account);
    return this.#reclaim(QUEUE_NAMES, []);
  }

  /** Makes jobs of the accounts served here ready that are marked as running and are not. */
  async #reclaim(queues: readonly QueueName[], except: readonly string[]): Promise<number> {
    let count = 0;
    for (const lease of this.#leases) count += await reclaim(this.#db, lease, queues, except);
    return count;
  }

  async #isServing(): Promise<boolean> {
    const held = await Promise.all(this.#leases.map((lease) => isLeaseHeld(this.#db, lease)));
    return held.length > 0 && held.every((isHeld) => isHeld);
  }

  /** After the clock was set back: jobs that were ready by the old time, or soon would be, are ready now. */
  async makeDelayedReady(): Promise<number> {
    const { numAffectedRows } = await sql`
      UPDATE ${jobs} SET start_after = now()
      WHERE state < 'active' AND name = ANY(${QUEUE_NAMES}) AND start_after > now()
        AND (data->>'account')::bigint = ANY(${this.#leases.map(({ account }) => account)})`.execute(
      this.#db,
    );
    for (const queue of QUEUE_NAMES) this.wake(queue);
    return Number(numAffectedRows ?? 0);
  }

  /** Deletes every job, waiting, finished or failed, that refers to these erased ids. */
  async deleteJobsOf(tx: Transaction, ids: readonly string[]): Promise<void> {
    await sql`DELETE FROM ${jobs} WHERE state <> 'active'
      AND (singleton_key = ANY(${ids}::text[]) OR data->>'subject' = ANY(${ids}::text[]))`.execute(
      tx,
    );
  }

  /** All unfinished jobs, as lines of an archive; a job that is running now would have to run again. */
  async *exportWaiting(tx: Transaction): AsyncGenerator<string> {
    const { rows } = await sql<{ line: string }>`
      SELECT json_build_object('queue', name, 'key', singleton_key, 'data', data,
        'start_after', start_after)::text AS line FROM ${jobs}
      WHERE state < 'completed' AND name = ANY(${QUEUE_NAMES}) AND singleton_key IS NOT NULL
      ORDER BY created_on, id`.execute(tx);
    for (const row of rows) yield row.line;
  }

  async counts(account: AccountId): Promise<JobCounts> {
    return countJobs(this.#db, account);
  }

  /** How long the oldest job that could run has waited, in seconds; 0 if none waits. */
  async oldestSeconds(account: AccountId): Promise<number> {
    const { rows } = await sql<{ seconds: number }>`
      SELECT coalesce(extract(epoch FROM now() - min(greatest(start_after, created_on))), 0)::float8 AS seconds
      FROM ${jobs}
      WHERE state < 'active' AND name <> ${DEAD_LETTER_QUEUE} AND start_after <= now()
        AND (data->>'account' IS NULL OR (data->>'account')::bigint = ${account})`.execute(
      this.#db,
    );
    return Math.max(0, rows[0]?.seconds ?? 0);
  }

  /** Takes no new jobs, waits for the running ones within the given time, then closes. */
  async stop(withinMs: number): Promise<void> {
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop(withinMs)));
    await this.#boss.stop({ graceful: false, close: false });
  }
}

/** Runs pg-boss's statements in the caller's transaction. */
function bossDbOver(tx: Transaction): BossDb {
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

/** What can be changed in an existing queue. */
type QueueOptions = Omit<Queue, 'name' | 'policy' | 'partition'>;

/** Creates the queues, and updates the options of existing ones to this version. */
async function putQueues(boss: PgBoss): Promise<void> {
  const existing = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
  const put = async (name: string, order: QueueSpec['order'], options: QueueOptions) => {
    const queue = existing.get(name);
    const policy = order === 'by key' ? 'key_strict_fifo' : 'standard';
    if (queue === undefined) await boss.createQueue(name, { ...options, policy });
    else if (!hasOptions(queue, options)) await boss.updateQueue(name, options);
  };
  // Nothing fetches from them any more.
  for (const name of RETIRED_QUEUES) if (existing.has(name)) await boss.deleteQueue(name);
  await put(DEAD_LETTER_QUEUE, 'any', { retentionSeconds: 90 * 86_400 });
  for (const name of QUEUE_NAMES) {
    const spec = QUEUES[name];
    await put(name, spec.order, {
      retryLimit: spec.retry.retries,
      retryDelay: spec.retry.stepsMs[0] / 1000,
      retryBackoff: true,
      retryDelayMax: longestWait(spec.retry) / 1000,
      expireInSeconds: spec.expiresAfterSeconds,
      // A job never expires: dropping one would strand the work it stands for.
      retentionSeconds: 10 * 365 * 86_400,
      deleteAfterSeconds: 3600,
      deadLetter: DEAD_LETTER_QUEUE,
    });
  }
}

const hasOptions = (queue: Queue, options: QueueOptions): boolean =>
  Object.entries(options).every(([key, value]) => queue[key as keyof QueueOptions] === value);

const jobs = sql.table(`${SCHEMA}.job`);

/**
 * Makes a running job ready again, as if it had not been fetched. Its new id keeps its place in the order, and the
 * worker that had fetched it can no longer complete, fail or delete it.
 */
const readyAgain = sql`state = 'created', started_on = NULL, heartbeat_on = NULL,
  id = (left(id::text, 19) || right(gen_random_uuid()::text, 17))::uuid`;

/** Only while the lease is held: then nobody else can be running the account's jobs. */
async function reclaim(
  db: Db,
  { account, epoch }: Lease,
  queues: readonly QueueName[],
  except: readonly string[],
): Promise<number> {
  const { numAffectedRows } = await sql`
    WITH held AS MATERIALIZED (SELECT account_id FROM account_leases
      WHERE account_id = ${account} AND epoch = ${epoch} FOR KEY SHARE)
    UPDATE ${jobs} SET ${readyAgain}
    WHERE state = 'active' AND name = ANY(${queues}) AND id <> ALL(${except}::uuid[])
      AND (data->>'account')::bigint = (SELECT account_id FROM held)`.execute(db);
  return Number(numAffectedRows ?? 0);
}

async function giveBack(db: Db, queue: QueueName, job: string): Promise<void> {
  await sql`UPDATE ${jobs} SET ${readyAgain}
    WHERE name = ${queue} AND id = ${job} AND state = 'active'`.execute(db);
}

/** Removes jobs that failed for good and have a dead letter: their worker was killed before it could remove them. */
async function freeKeys(db: Db, account: AccountId): Promise<void> {
  const ordered = QUEUE_NAMES.filter((name) => QUEUES[name].order === 'by key');
  await sql`DELETE FROM ${jobs} WHERE state = 'failed' AND name = ANY(${ordered})
    AND (data->>'account')::bigint = ${account}`.execute(db);
}

async function countJobs(db: Db, account: AccountId): Promise<JobCounts> {
  const { rows } = await sql<{ queue: string; dead: boolean; running: boolean; count: number }>`
    SELECT coalesce(source_name, name) AS queue, name = ${DEAD_LETTER_QUEUE} AS dead, state = 'active' AS running, count(*) AS count
    FROM ${jobs}
    WHERE state < 'completed' AND (data->>'account' IS NULL OR (data->>'account')::bigint = ${account})
    GROUP BY 1, 2, 3 ORDER BY 1`.execute(db);
  const sum = (part: typeof rows) => part.reduce((total, row) => total + row.count, 0);
  return {
    waiting: sum(rows.filter((row) => !row.dead && !row.running)),
    running: sum(rows.filter((row) => !row.dead && row.running)),
    dead: rows.filter((row) => row.dead).map(({ queue, count }) => ({ queue, count })),
  };
}

// Creates job ids in order. The queue orders jobs of one transaction, which share a time, by id: with random ids, two
// messages of one transaction would be sent in any order.

let last = 0;

/** A UUID of version 7: milliseconds, a counter within them, and random bits. */
function nextJobId(): string {
  last = Math.max(last + 1, Date.now() * 4096);
  const hex = last.toString(16).padStart(15, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(12)}-${randomUUID().slice(19)}`;
}

// Fetches the jobs of one queue and runs them concurrently, up to a limit. A job whose handler failed is retried with
// backoff; one that failed for good is removed so that its key continues without it.

interface QueueWorkerOptions {
  readonly boss: PgBoss;
  readonly queue: QueueName;
  readonly concurrency: number;
  readonly handler: JobHandler<QueueName>;
  readonly log: Log;
  readonly source: JobSource;
  /** Makes jobs ready that are marked as running and are not. */
  readonly reclaim: (running: readonly string[]) => Promise<number>;
  /** Makes a running job ready again without counting the attempt. */
  readonly giveBack: (job: string) => Promise<void>;
  /** Whether this daemon still holds the leases of the accounts whose jobs it runs. */
  readonly isServing: () => Promise<boolean>;
}

/** How often to look without a hint. With hints, a job usually starts immediately. */
export const JOB_POLL_MS = 500;
/** Fetching from a long queue costs in proportion to its length, so it may take at most a third of the time. */
const FETCH_PAUSE_FACTOR = 2;

class QueueWorker {
  readonly #options: QueueWorkerOptions;
  readonly #running = new Map<string, Promise<void>>();
  readonly #abort = new AbortController();
  readonly #loop = new PollLoop({
    look: () => this.#look(),
    failed: (error) => {
      this.#options.log.warn('polling for jobs failed', { queue: this.#options.queue, error });
      return JOB_POLL_MS;
    },
  });
  /** How long to wait before fetching from a long queue again, in milliseconds. */
  #pauseMs = 0;

  constructor(options: QueueWorkerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop.start();
  }

  wake(): void {
    this.#loop.hint();
  }

  async stop(withinMs: number): Promise<void> {
    await this.#loop.stop();
    const settled = Promise.all(this.#running.values());
    await Promise.race([settled, sleep(withinMs)]);
    this.#abort.abort();
    await Promise.race([settled, sleep(1_000)]);
  }

  async #look(): Promise<NextLook> {
    const { concurrency } = this.#options;
    if (this.#pauseMs > 0 && this.#free < concurrency / 4) await sleep(this.#pauseMs);
    const free = this.#free;
    if (free === 0 || this.#loop.isStopping) return JOB_POLL_MS;
    const began = performance.now();
    const idle = this.#pauseMs === 0 && free === concurrency;
    const fetched = await this.#fetch(free, idle);
    for (const job of fetched) this.#begin(job);
    const isCrowded = fetched.length === free;
    this.#pauseMs = isCrowded ? FETCH_PAUSE_FACTOR * (performance.now() - began) : 0;
    return isCrowded ? 'more' : JOB_POLL_MS;
  }

  get #free(): number {
    return this.#options.concurrency - this.#running.size;
  }

  async #fetch(batchSize: number, idle: boolean): Promise<JobWithMetadata<JobData[QueueName]>[]> {
    try {
      return await this.#options.boss.fetch<JobData[QueueName]>(this.#options.queue, {
        batchSize,
        includeMetadata: true,
        db: this.#options.source(idle),
      });
    } catch (error) {
      this.#options.log.warn('fetching jobs failed', { queue: this.#options.queue, error });
      // The answer may have been lost: jobs that the fetch marked as running would belong to nobody.
      await this.#options.reclaim([...this.#running.keys()]).catch(() => 0);
      return [];
    }
  }

  #begin(job: JobWithMetadata<JobData[QueueName]>): void {
    const done = this.#handle(job).finally(() => {
      this.#running.delete(job.id);
      this.wake();
    });
    this.#running.set(job.id, done);
  }

  async #handle(fetched: JobWithMetadata<JobData[QueueName]>): Promise<void> {
    const { boss, queue, handler, log } = this.#options;
    const attempt = { id: fetched.id, retryCount: fetched.retryCount };
    // A finished job is deleted; one that a schedule made stays for an hour, because pg-boss recognizes its time by it.
    const finish = (options?: ConnectionOptions) =>
      QUEUES[queue].order === 'by key'
        ? boss.deleteJob(queue, attempt, options)
        : boss.complete(queue, attempt, null, options);
    let settled = false;
    const job: Job<QueueName> = {
      id: fetched.id,
      data: fetched.data,
      attempt: fetched.retryCount + 1,
      complete: async (tx) => {
        const { affected }: { affected?: number } = await finish({ db: bossDbOver(tx) });
        // Another worker has the job now; rolling back keeps the effect from happening twice.
        if (affected !== 1) throw new Error('this job belongs to another worker now');
        settled = true;
      },
    };
    try {
      await handler(job, this.#abort.signal);
      if (!settled) await this.#insist(finish);
    } catch (error) {
      // A job that the stop interrupted has not failed: it stays marked as running, and the next start makes it ready.
      if (this.#abort.signal.aborted) return;
      if (error instanceof RelayError && error.code === 'lease_lost') return this.#leave(fetched);
      log.error('job failed', { queue, job: fetched.id, attempt: job.attempt, error });
      await this.#insist(() =>
        boss.fail(queue, attempt, { message: error instanceof Error ? error.name : 'failed' }),
      );
      const isLast = fetched.retryCount >= fetched.retryLimit;
      if (isLast) await this.#insist(() => this.#stepAside(fetched.id));
    }
  }

  /** Another daemon acts for the account now: the job belongs to it, and this worker fetches no more. */
  async #leave({ id }: JobWithMetadata<JobData[QueueName]>): Promise<void> {
    const { log, queue, isServing } = this.#options;
    await this.#insist(() => this.#options.giveBack(id));
    // A restore replaces the lease for a moment.
    if (await isServing().catch(() => true)) return;
    log.warn('lease lost; fetching no more jobs', { queue });
    this.#loop.end();
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

// How jobs are fetched. A fetch does not wait for the disk: one that a power cut undoes is repeated, and a worker that
// ran such a job finds that it is no longer its own.

/** Idle queues use a prepared statement: they are polled with the same query, and few jobs wait in them. */
type JobSource = (idle: boolean) => BossDb;

function createJobSource({ pool, prepares }: Database): JobSource {
  const planned: BossDb = { executeSql: (text, values) => fetchPlanned(pool, text, values) };
  const anew: BossDb = { executeSql: (text, values) => fetchAnew(pool, text, values) };
  return (idle) => (idle && prepares ? planned : anew);
}

type Fetched = ReturnType<BossDb['executeSql']>;

/** A query with values cannot be combined with another statement. */
async function fetchAnew(pool: Database['pool'], text: string, values: unknown[] = []): Fetched {
  if (values.length > 0) return pool.query(text, values);
  const all: unknown = await pool.query(
    `SELECT set_config('synchronous_commit', 'off', true); ${text}`,
  );
  return (all as { rows: unknown[] }[]).at(-1) ?? { rows: [] };
}

/** Planning is most of the cost of a fetch that finds one job. */
async function fetchPlanned(pool: Database['pool'], text: string, values: unknown[] = []): Fetched {
  const client = await pool.connect();
  try {
    await client.query('BEGIN; SET LOCAL synchronous_commit = off');
    const fetched = await client.query({ name: statementName(text), text, values });
    await client.query('COMMIT');
    client.release();
    return fetched;
  } catch (error) {
    // Not returned to the pool: a transaction may still be open on it.
    client.release(true);
    throw error;
  }
}

const statementNames = new Map<string, string>();

/** Each queue has one text. */
function statementName(text: string): string {
  const name = statementNames.get(text) ?? `relay_fetch_${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}
