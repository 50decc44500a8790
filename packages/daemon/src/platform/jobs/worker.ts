// Fetches the jobs of one queue and runs them side by side, up to a limit. A job whose handler failed is
// tried again with backoff; one that failed for good steps aside so that its key goes on without it.
import { RelayError } from '@relay/contract/errors';
import type { Log } from '@relay/core/log';
import type { Db, JobWithMetadata, PgBoss } from 'pg-boss';
import type { Database, Transaction } from '../db/database.ts';
import { type NextLook, PollLoop } from '../poll-loop.ts';
import { type JobData, QUEUES, type QueueName } from './queues.ts';

export interface Job<Q extends QueueName> {
  readonly id: string;
  readonly data: JobData[Q];
  /** 1 for the first try. */
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
  readonly within: (tx: Transaction) => Db;
  readonly source: JobSource;
  /** Makes ready what is marked as running and is not. */
  readonly reclaim: (running: readonly string[]) => Promise<number>;
  /** Makes a running job ready again without counting it as tried. */
  readonly giveBack: (job: string) => Promise<void>;
  /** Whether the leases of the accounts whose jobs it runs are still held. */
  readonly isServing: () => Promise<boolean>;
}

/** How often to look without a hint. Hints make the usual case immediate. */
export const JOB_POLL_MS = 500;
/** A look at a crowded queue costs as much as all that waits in it: it may take a third of the time. */
const FETCH_PAUSE_FACTOR = 2;

export class QueueWorker {
  readonly #options: QueueWorkerOptions;
  readonly #running = new Map<string, Promise<void>>();
  readonly #abort = new AbortController();
  readonly #loop = new PollLoop({
    look: () => this.#look(),
    failed: (error) => {
      this.#options.log.warn('looking for jobs failed', { queue: this.#options.queue, error });
      return JOB_POLL_MS;
    },
  });
  /** How long to leave a crowded queue alone, in milliseconds. */
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
      // The answer may have been lost on its way: what it had marked as running is nobody's.
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
    const { boss, queue, handler, log, within } = this.#options;
    const attempt = { id: fetched.id, retryCount: fetched.retryCount };
    let settled = false;
    const job: Job<QueueName> = {
      id: fetched.id,
      data: fetched.data,
      attempt: fetched.retryCount + 1,
      complete: async (tx) => {
        const { affected }: { affected?: number } = await boss.complete(queue, attempt, null, {
          db: within(tx),
        });
        // Somebody else has it by now; rolling back is what keeps the effect single.
        if (affected !== 1) throw new Error('this job is no longer ours');
        settled = true;
      },
    };
    try {
      await handler(job, this.#abort.signal);
      if (!settled) await this.#insist(() => boss.complete(queue, attempt));
    } catch (error) {
      // Ended by the stop, it has not failed: it stays marked as running, and the next start makes it ready.
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

  /** Another daemon acts for the account now: the job is that one's, and this worker takes no more. */
  async #leave({ id }: JobWithMetadata<JobData[QueueName]>): Promise<void> {
    const { log, queue, giveBack, isServing } = this.#options;
    await this.#insist(() => giveBack(id));
    // A restore replaces the lease for a moment.
    if (await isServing().catch(() => true)) return;
    log.warn('the lease is lost: no more jobs are taken', { queue });
    this.#loop.end();
  }

  /** The dead letter keeps the job for a person; the original would block its key. */
  async #stepAside(id: string): Promise<void> {
    if (QUEUES[this.#options.queue].order === 'by key')
      await this.#options.boss.deleteJob(this.#options.queue, id);
  }

  /** The database may be away for a moment; a job left unsettled would be stuck until it counts as lost. */
  async #insist(settle: () => Promise<unknown>): Promise<void> {
    for (let wait = 50; ; wait = Math.min(wait * 2, 1_000)) {
      try {
        await settle();
        return;
      } catch (error) {
        this.#options.log.warn('settling a job failed', { queue: this.#options.queue, error });
        if (this.#loop.isStopping) return;
        await sleep(wait);
      }
    }
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

// Where jobs are fetched from. Not waited for until it is on the disk: a fetch that a power cut undoes is
// made anew, and who ran a job meanwhile finds that it is no longer theirs.

/** An idle queue is asked the same thing every time, and little waits in it: that is planned once. */
export type JobSource = (idle: boolean) => Db;

export function createJobSource({ pool, prepares }: Database): JobSource {
  const planned: Db = { executeSql: (text, values) => fetchPlanned(pool, text, values) };
  const anew: Db = { executeSql: (text, values) => fetchAnew(pool, text, values) };
  return (idle) => (idle && prepares ? planned : anew);
}

type Fetched = ReturnType<Db['executeSql']>;

/** A statement with values can only go alone. */
async function fetchAnew(pool: Database['pool'], text: string, values: unknown[] = []): Fetched {
  if (values.length > 0) return pool.query(text, values);
  const all: unknown = await pool.query(
    `SELECT set_config('synchronous_commit', 'off', true); ${text}`,
  );
  return (all as { rows: unknown[] }[]).at(-1) ?? { rows: [] };
}

/** Most of a fetch that finds one job is planning it. */
async function fetchPlanned(pool: Database['pool'], text: string, values: unknown[] = []): Fetched {
  const client = await pool.connect();
  try {
    await client.query('BEGIN; SET LOCAL synchronous_commit = off');
    const fetched = await client.query({ name: statementName(text), text, values });
    await client.query('COMMIT');
    client.release();
    return fetched;
  } catch (error) {
    // Not handed on: who knows what is left open on it.
    client.release(true);
    throw error;
  }
}

const names = new Map<string, string>();

/** One text a queue. */
function statementName(text: string): string {
  const name = names.get(text) ?? `relay_fetch_${names.size}`;
  names.set(text, name);
  return name;
}
