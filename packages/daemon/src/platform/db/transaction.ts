// A write under the account's lease, tried again when others got in its way: nothing of it has happened
// then. What it finds at the second look may differ, so the whole of it is run anew.
import type { Db, Transaction } from './database.ts';
import type { Lease } from './lease.ts';
import { fence } from './lease.ts';

/** Deadlock, serialisation, and rows that another transaction has locked, made or merged away. */
const CONFLICT_CODES = ['40P01', '40001', '55P03', '23505', '23503'];
export const TRANSACTION_TRIES = 3;

/** Thrown by code that notices it without an error of the database. */
export class TransactionConflict extends Error {
  readonly code = '40001';
}

/** Nothing of it has happened, and a second look may find the way free. */
export function isTransactionConflict(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && CONFLICT_CODES.includes(code);
}

export async function fenced<T>(
  db: Db,
  lease: Lease,
  run: (tx: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(async (tx) => {
        await fence(tx, lease);
        return run(tx);
      });
    } catch (error) {
      if (!isTransactionConflict(error) || attempt === TRANSACTION_TRIES) throw error;
    }
  }
}
