// One unit of work of a flow: a transaction, and what to nudge once it has committed. Every flow stands on
// the same engine and adds what is its own.
import type { Log } from '@relay/core/log';
import type { Db, Transaction } from '../db/database.ts';
import type { PostgresEventLog } from '../db/events.ts';
import type { Lease } from '../db/lease.ts';
import { isTransactionConflict, TRANSACTION_TRIES } from '../db/transaction.ts';
import type { Jobs } from './jobs.ts';
import type { QueueName } from './queues.ts';

export interface Engine {
  readonly db: Db;
  readonly lease: Lease;
  readonly jobs: Jobs;
  readonly events: PostgresEventLog;
  readonly log: Log;
  readonly now: () => Date;
  /** The owner's time zone, an IANA name: times are meant in it, and their day ends at its midnight. */
  readonly zone: string;
}

export interface UnitOfWork {
  readonly tx: Transaction;
  /** Queues that hold something new once this commits. */
  readonly filled: Set<QueueName>;
  /** To be told once this has happened. */
  readonly told: (() => void)[];
}

/** Work inside a transaction of somebody else; what it gives back is to be called once that has committed. */
export async function joinTransaction(
  engine: Engine,
  tx: Transaction,
  run: (work: UnitOfWork) => Promise<void>,
): Promise<() => void> {
  const work: UnitOfWork = { tx, filled: new Set(), told: [] };
  await run(work);
  return () => runAfterCommit(engine, work);
}

function runAfterCommit(engine: Engine, { told, filled }: Omit<UnitOfWork, 'tx'>): void {
  for (const tell of told) tell();
  for (const queue of filled) engine.jobs.hint(queue);
  engine.events.hint();
}

/** What was decided on is no longer so: none of it has happened, and it is decided anew. */
export class RetryTransaction extends Error {}

export async function inOneTransaction<T>(
  engine: Engine,
  run: (work: UnitOfWork) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const done: Omit<UnitOfWork, 'tx'> = { filled: new Set(), told: [] };
    try {
      const result = await engine.db.transaction().execute((tx) => run({ tx, ...done }));
      runAfterCommit(engine, done);
      return result;
    } catch (error) {
      const again = error instanceof RetryTransaction || isTransactionConflict(error);
      if (!again || attempt === TRANSACTION_TRIES) throw error;
    }
  }
}
