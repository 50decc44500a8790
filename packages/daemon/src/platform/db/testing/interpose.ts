// Runs code in the middle of a transaction, after a statement that the test chooses.
import { sleep, type TestStore } from '@relay/testing/store';
import type { Db } from '../database.ts';

/** The code may have to wait for the transaction, so the transaction continues after this time. */
const WAIT_MS = 100;

export interface Interposed {
  readonly db: Db;
  /** How many statements were run. */
  readonly seen: number;
  /** Resolves when the started code has ended. */
  settled(): Promise<void>;
}

/** Starts the code after the nth statement. */
export function interpose(over: Db, nth: number, begin: () => Promise<void>): Interposed {
  let seen = 0;
  let begun = Promise.resolve();
  const db = over.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (++seen === nth) {
        begun = begin();
        await Promise.race([begun, sleep(WAIT_MS)]);
      }
      return result;
    },
  });
  return {
    db,
    get seen() {
      return seen;
    },
    settled: () => begun,
  };
}

/** How many deadlocks the database has counted. */
export async function deadlocksIn({ sql }: Pick<TestStore, 'sql'>): Promise<number> {
  const [row] = await sql<{ deadlocks: number }>(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  );
  return row?.deadlocks ?? 0;
}
