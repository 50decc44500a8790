// One unit of work of a flow: a transaction, and what to nudge once it has committed. Every flow stands on
// the same engine and adds what is its own.
import type { Log } from '@relay/core/log';
import type { Reader, Transaction } from '../store/database.ts';
import type { PostgresEventLog } from '../store/events.ts';
import { TRIES, wasOvertaken } from '../store/fenced.ts';
import type { Lease } from '../store/lease.ts';
import type { Jobs } from './jobs.ts';
import type { QueueName } from './queues.ts';

export interface Engine {
  readonly db: Reader;
  readonly lease: Lease;
  readonly jobs: Jobs;
  readonly events: PostgresEventLog;
  readonly log: Log;
  readonly now: () => Date;
  /** The owner's time zone, an IANA name: times are meant in it, and their day ends at its midnight. */
  readonly zone: string;
}

export interface Work {
  readonly tx: Transaction;
  /** Queues that hold something new once this commits. */
  readonly filled: Set<QueueName>;
  /** To be told once this has happened. */
  readonly told: (() => void)[];
}

/** Work inside a transaction of somebody else; what it gives back is to be called once that has committed. */
export async function within(
  engine: Engine,
  tx: Transaction,
  run: (work: Work) => Promise<void>,
): Promise<() => void> {
  const work: Work = { tx, filled: new Set(), told: [] };
  await run(work);
  return () => tellAll(engine, work);
}

function tellAll(engine: Engine, { told, filled }: Omit<Work, 'tx'>): void {
  for (const tell of told) tell();
  for (const queue of filled) engine.jobs.hint(queue);
  engine.events.hint();
}

/** What was decided on is no longer so: none of it has happened, and it is decided anew. */
export class Reconsider extends Error {}

export async function inOneTransaction<T>(
  engine: Engine,
  run: (work: Work) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const done: Omit<Work, 'tx'> = { filled: new Set(), told: [] };
    try {
      const result = await engine.db.transaction().execute((tx) => run({ tx, ...done }));
      tellAll(engine, done);
      return result;
    } catch (error) {
      const again = error instanceof Reconsider || wasOvertaken(error);
      if (!again || attempt === TRIES) throw error;
    }
  }
}
