// Something that happens in the middle of a transaction: behind a statement that the test chooses.
import { sleep, type TestStore } from '@relay/testing/store';
import type { Reader } from '../database.ts';

/** It may have to wait for the transaction, which goes on after this time. */
const WAIT_MS = 100;

export interface Interposed {
  readonly db: Reader;
  /** How many statements have gone over it. */
  readonly seen: number;
  /** What was begun has ended. */
  settled(): Promise<void>;
}

/** Begins something behind the nth statement that goes over the database. */
export function interpose(over: Reader, nth: number, begin: () => Promise<void>): Interposed {
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

/** How often two transactions have waited for each other until the database ended one of them. */
export async function deadlocksIn({ sql }: Pick<TestStore, 'sql'>): Promise<number> {
  const [row] = await sql<{ deadlocks: number }>(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  );
  return row?.deadlocks ?? 0;
}
