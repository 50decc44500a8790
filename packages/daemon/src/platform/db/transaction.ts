// The only way to write. A transaction holds the account's lease until it commits, and runs again after a conflict with
// another transaction.
import { RelayError } from '@relay/contract/errors';
import type { Db, Transaction } from './database.ts';
import type { PostgresEventLog } from './events.ts';
import { type Lease, SHARED_EPOCH } from './lease.ts';
import { wakeAccount } from './workers.ts';

/** Deadlock, serialization failure, and rows that another transaction has locked, created or merged away. */
const CONFLICT_CODES = ['40P01', '40001', '55P03', '23505', '23503'];
const ATTEMPTS = 3;

/** Thrown inside a transaction whose decision was based on outdated facts: it runs again. */
export class TransactionConflict extends Error {
  readonly code = '40001';
}

/** The transaction was rolled back, and running it again may succeed. */
function isTransactionConflict(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && CONFLICT_CODES.includes(code);
}

/** The database, and the lease of the account that is written for. */
export interface LeasedDb {
  readonly db: Db;
  readonly lease: Lease;
  /** Notified after the commit. A reader of the events omits this, or its own commits would wake it. */
  readonly events?: Pick<PostgresEventLog, 'hint'>;
}

/** A transaction, and callbacks that run after its commit. */
export interface UnitOfWork {
  readonly tx: Transaction;
  readonly afterCommit: (() => void)[];
}

/** `run` starts again after a conflict: whatever it changes outside the database belongs in `afterCommit`. */
export async function transaction<T>(
  { db, lease, events }: LeasedDb,
  run: (work: UnitOfWork) => Promise<T>,
  { attempts = ATTEMPTS }: { readonly attempts?: number } = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const afterCommit: (() => void)[] = [];
    let result: T;
    try {
      result = await db.transaction().execute(async (tx) => {
        await holdLease(tx, lease);
        return run({ tx, afterCommit });
      });
    } catch (error) {
      if (isTransactionConflict(error) && attempt < attempts) continue;
      throw error;
    }
    for (const call of afterCommit) call();
    events?.hint();
    return result;
  }
}

/**
 * The first statement of every transaction that writes. A process without the lease has its worker told at the commit;
 * with it, no other worker can take the lease until it has committed.
 */
export async function holdLease(tx: Transaction, lease: Lease): Promise<void> {
  if (lease.epoch === SHARED_EPOCH) return wakeAccount(tx, lease.account);
  const row = await tx
    .selectFrom('account_leases')
    .select('epoch')
    .where('account_id', '=', lease.account)
    .where('epoch', '=', lease.epoch)
    .forKeyShare()
    .executeTakeFirst();
  if (row === undefined) throw new RelayError('lease_lost');
}

/** Runs several reads on one snapshot: concurrent writes are not seen. */
export async function readSnapshot<T>(db: Db, run: (tx: Transaction) => Promise<T>): Promise<T> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(run);
}

/** Shows what a write would do: everything that `run` writes is rolled back. */
export async function runAndRollBack<T>(db: Db, run: (tx: Transaction) => Promise<T>): Promise<T> {
  const tx = await db.startTransaction().execute();
  try {
    return await run(tx);
  } finally {
    await tx.rollback().execute();
  }
}
