// Wakes the workers for jobs without a hint: those that become ready later, and those whose hint was lost. One
// statement serves all queues. It runs shortly after a worker has looked, and otherwise every half minute.
import type { Log } from '@relay/core/log';
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { type NextLook, PollLoop } from '../poll-loop.ts';
import type { QueueName } from './queues.ts';

interface JobClockOptions {
  readonly db: Db;
  readonly log: Log;
  /** Those whose workers wait for a hint. */
  readonly queues: () => readonly QueueName[];
  readonly wake: (queue: QueueName) => void;
}

const FAILED_LOOK_MS = 500;
/** How long after a worker's look, so that a burst of jobs costs few looks. */
export const JOB_CLOCK_GATHER_MS = 400;
/** The longest time for which a lost hint goes unnoticed. */
export const LOST_HINT_MS = 30_000;

export class JobClock {
  readonly #options: JobClockOptions;
  readonly #loop: PollLoop;

  constructor(options: JobClockOptions) {
    this.#options = options;
    this.#loop = new PollLoop({
      look: () => this.#look(),
      failed: (error) => {
        options.log.warn('looking for delayed jobs failed', { error });
        return FAILED_LOOK_MS;
      },
      gatherMs: JOB_CLOCK_GATHER_MS,
    });
  }

  start(): void {
    this.#loop.start();
  }

  hint(): void {
    this.#loop.hint();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #look(): Promise<NextLook> {
    const { db, queues, wake } = this.#options;
    // Looked for separately: a ready job may have to wait for another of its key, or belong to another process.
    const { rows } = await sql<{ queue: QueueName; ready: boolean; ms: number | null }>`
      SELECT name AS queue, bool_or(start_after <= now()) AS ready,
        (extract(epoch FROM min(start_after) FILTER (WHERE start_after > now()) - now()) * 1000)::float8 AS ms
      FROM relay_jobs.job
      WHERE name = ANY(${queues()}) AND state < 'active' AND NOT blocked GROUP BY name`.execute(db);
    for (const { queue, ready } of rows) if (ready) wake(queue);
    const later = rows.flatMap(({ ms }) => (ms === null ? [] : ms));
    return Math.max(1, Math.min(LOST_HINT_MS, ...later) - JOB_CLOCK_GATHER_MS);
  }
}
