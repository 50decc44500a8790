// Fetches the jobs of one queue and runs them concurrently, up to a limit. A job whose handler failed is retried with
// backoff; one that failed for good is removed so that its key continues without it.
import { RelayError } from '@relay/contract/errors';
import type { Log } from '@relay/core/log';
import type { Db, JobWithMetadata, PgBoss } from 'pg-boss';
import type { Database, Transaction } from '../db/database.ts';
import { type NextLook, PollLoop } from '../poll-loop.ts';
import { type JobData, QUEUES, type QueueName } from './queues.ts';

export interface Job<Q extends QueueName> {
  readonly id: string;
  readonly data: JobData[Q];
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Settles the job inside the handler's own transaction: effect and job commit together. */
  complete(tx: Transaction): Promise<void>;
}

export type JobHandler<Q extends QueueName> = (job: Job<Q>, signal: AbortSignal) => Promise<void>;

interface QueueWorkerOptions {
  readonly boss: PgBoss;
  readonly queue: QueueName;
  readonly concurrency: number;
  readonly handler: JobHandler<QueueName>;
  readonly log: Log;
  readonly dbOver: (tx: Transaction) => Db;
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

export class QueueWorker {
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
    const { boss, queue, handler, log, dbOver } = this.#options;
    const attempt = { id: fetched.id, retryCount: fetched.retryCount };
    let settled = false;
    const job: Job<QueueName> = {
      id: fetched.id,
      data: fetched.data,
      attempt: fetched.retryCount + 1,
      complete: async (tx) => {
        const { affected }: { affected?: number } = await boss.complete(queue, attempt, null, {
          db: dbOver(tx),
        });
        // Another worker has the job now; rolling back keeps the effect from happening twice.
        if (affected !== 1) throw new Error('this job belongs to another worker now');
        settled = true;
      },
    };
    try {
      await handler(job, this.#abort.signal);
      if (!settled) await this.#insist(() => boss.complete(queue, attempt));
    } catch (error) {
      // A job that the stop interrupted has not failed: it stays marked as running, and the next start makes it ready.
      if (this.#abort.signal.aborted) return;
      if (error instanceof RelayError && error.code === 'lease_lost') return this.#leave(fetched);
      log.error('job failed', { queue, job: fetched.id, attempt: job.attempt, error });
      await this.#insist(() =>
        boss.fail(queue, attempt, { message: error instanceof Error ? error.name : 'failed' }),
      );
      const last = fetched.retryCount >= fetched.retryLimit;
      if (last) await this.#insist(() => this.#stepAside(fetched.id));
    }
  }

  /** Another daemon acts for the account now: the job belongs to it, and this worker fetches no more. */
  async #leave({ id }: JobWithMetadata<JobData[QueueName]>): Promise<void> {
    const { log, queue, giveBack, isServing } = this.#options;
    await this.#insist(() => giveBack(id));
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
export type JobSource = (idle: boolean) => Db;

export function createJobSource({ pool, prepares }: Database): JobSource {
  const planned: Db = { executeSql: (text, values) => fetchPlanned(pool, text, values) };
  const anew: Db = { executeSql: (text, values) => fetchAnew(pool, text, values) };
  return (idle) => (idle && prepares ? planned : anew);
}

type Fetched = ReturnType<Db['executeSql']>;

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

const names = new Map<string, string>();

/** Each queue has one text. */
function statementName(text: string): string {
  const name = names.get(text) ?? `relay_fetch_${names.size}`;
  names.set(text, name);
  return name;
}
