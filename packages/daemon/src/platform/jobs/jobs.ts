// Our interface to pg-boss, and the workers that run the jobs. Jobs are enqueued inside the caller's transaction and
// settled inside the handler's, so that a job and its effect commit or roll back together.

import { randomUUID } from 'node:crypto';
import type { AccountId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import { longestWait } from '@relay/core/retry';
import { sql } from 'kysely';
import { PgBoss, type Queue } from 'pg-boss';
import { type Db, onCommit, type SharedDatabase, type Transaction } from '../db/database.ts';
import { isLeaseHeld, type Lease } from '../db/lease.ts';
import { JobClock } from './job-clock.ts';
import {
  bossDbOver,
  createJobSource,
  type JobHandler,
  type JobSource,
  QueueWorker,
} from './queue-worker.ts';
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
  readonly #leases = new Map<AccountId, Lease>();
  readonly #clock: JobClock;

  private constructor(boss: PgBoss, database: SharedDatabase, log: Log) {
    this.#boss = boss;
    this.#db = database.allAccounts;
    this.#source = createJobSource(database);
    this.#log = log;
    this.#clock = new JobClock({
      db: this.#db,
      log,
      wake: (queue) => this.#workers.get(queue)?.wakeByClock(),
      queues: () => [...this.#workers].flatMap(([name, { isCrowded }]) => (isCrowded ? [] : name)),
    });
    this.#clock.start();
  }

  static async start(database: SharedDatabase, log: Log): Promise<Jobs> {
    const { pool } = database;
    const boss = new PgBoss({
      db: { executeSql: (text, values) => pool.query(text, values) },
      schema: SCHEMA,
      // Each of these is a query on a timer; correctness does not need them more often.
      superviseIntervalSeconds: 60,
      maintenanceIntervalSeconds: 3600,
      monitorVacuum: false,
      cronWorkerIntervalSeconds: 30,
      flowIntervalSeconds: 3600,
      bamIntervalSeconds: 3600,
      queueCacheIntervalSeconds: 3600,
    });
    // A database failure is reported where the query fails; this would only report it twice.
    boss.on('error', (error) => log.warn('job queue', { error }));
    await boss.start();
    await putQueues(boss);
    return new Jobs(boss, database, log);
  }

  /** Creates or migrates the queue's tables, for a daemon whose role may not. */
  static async install(database: SharedDatabase, log: Log): Promise<void> {
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
    await onCommit(tx, () => this.wake(queue));
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
    await onCommit(tx, () => this.wake(queue));
  }

  /** Call after the commit: looks for jobs now instead of at the next poll. Losing it does no harm. */
  wake(queue: QueueName): void {
    this.#workers.get(queue)?.wake();
  }

  /** Another process may have queued jobs. */
  wakeAll(): void {
    this.#clock.hint();
    for (const worker of this.#workers.values()) worker.wake();
  }

  /**
   * Runs the queue's jobs of one account, or of all accounts if none is given. The accounts of a process share one
   * worker for each queue; the first call sets its concurrency.
   */
  work<Q extends QueueName>(
    queue: Q,
    concurrency: number,
    handler: JobHandler<Q>,
    account: AccountId | null = null,
  ): void {
    const existing = this.#workers.get(queue);
    const worker =
      existing ??
      new QueueWorker({
        boss: this.#boss,
        queue,
        concurrency,
        log: this.#log,
        source: this.#source,
        reclaim: (running) => this.#reclaim([queue], running),
        giveBack: (job) => giveBack(this.#db, queue, job),
        isServing: (account) => this.#isServing(account),
        onLooked: () => this.#clock.hint(),
      });
    worker.handle(account, handler as JobHandler<QueueName>);
    if (existing !== undefined) {
      // The account may have come from another process, with jobs that nobody will hint at. One look is for all queues.
      this.#clock.hint();
      return;
    }
    this.#workers.set(queue, worker);
    worker.start();
  }

  /** Fetches no more jobs of this account, and waits for its running ones within the given time. */
  async dropAccount(account: AccountId, withinMs: number): Promise<void> {
    await Promise.all([...this.#workers.values()].map((worker) => worker.drop(account, withinMs)));
    this.#leases.delete(account);
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
    this.#leases.set(lease.account, lease);
    await freeKeys(this.#db, lease.account);
    return reclaim(this.#db, lease, QUEUE_NAMES, []);
  }

  /** Makes jobs of the accounts served here ready that are marked as running and are not. */
  async #reclaim(queues: readonly QueueName[], except: readonly string[]): Promise<number> {
    let count = 0;
    for (const lease of this.#leases.values())
      count += await reclaim(this.#db, lease, queues, except);
    return count;
  }

  /** Without an account: whether the leases of all accounts served here are held. */
  async #isServing(account: AccountId | null): Promise<boolean> {
    const leases = [...this.#leases.values()].filter(
      (lease) => account === null || lease.account === account,
    );
    const held = await Promise.all(leases.map((lease) => isLeaseHeld(this.#db, lease)));
    return held.length > 0 && held.every((isHeld) => isHeld);
  }

  /** After the clock was set back: jobs that were ready by the old time, or soon would be, are ready now. */
  async makeDelayedReady(): Promise<number> {
    const { numAffectedRows } = await sql`
      UPDATE ${jobs} SET start_after = now()
      WHERE state < 'active' AND name = ANY(${QUEUE_NAMES}) AND start_after > now()
        AND (data->>'account')::bigint = ANY(${[...this.#leases.keys()]})`.execute(this.#db);
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
  /** `accounts`: only theirs. */
  async *exportWaiting(tx: Transaction, accounts?: readonly AccountId[]): AsyncGenerator<string> {
    const { rows } = await sql<{ line: string }>`
      SELECT json_build_object('queue', name, 'key', singleton_key, 'data', data,
        'start_after', start_after)::text AS line FROM ${jobs}
      WHERE state < 'completed' AND name = ANY(${QUEUE_NAMES}) AND singleton_key IS NOT NULL
        AND (${accounts ?? null}::bigint[] IS NULL OR (data->>'account')::bigint = ANY (${accounts ?? null}::bigint[]))
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
    await this.#clock.stop();
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop(withinMs)));
    await this.#boss.stop({ graceful: false, close: false });
  }
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
