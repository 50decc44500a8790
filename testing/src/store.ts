// A fresh database with one account in it, open, for a test file or for a single test. It is closed and
// dropped by the hook that is given: `afterAll` of the file, or `onTestFinished` of one test.
import type { AccountId } from '@relay/contract/ids';
import type { Database } from '@relay/daemon/platform/db/database';
import { openDatabase } from '@relay/daemon/platform/db/database';
import { afterAll } from 'vitest';
import { freshDatabase } from './postgres.ts';
import { testSealer } from './sealer.ts';

export interface TestStore {
  readonly url: string;
  /** As the daemon connects: with a role that owns nothing. */
  readonly database: Database;
  readonly account: AccountId;
  /** Plain SQL as the owner, for what the code under test has no words for. */
  sql<Row extends object = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

export type CleanupHook = (end: () => Promise<void>) => unknown;

export async function freshStore(
  after: CleanupHook = afterAll,
  { max = 24 }: { max?: number } = {},
): Promise<TestStore> {
  const { url, daemonUrl, drop } = await freshDatabase();
  const own = { connectionString: url };
  const owner = openDatabase(own, { max: 8 });
  const database = openDatabase(
    { connectionString: daemonUrl },
    { max, sealer: testSealer, owner: own },
  );
  after(async () => {
    await database.close();
    await owner.close();
    await drop();
  });
  const { id: account } = await database.kysely
    .insertInto('accounts')
    .values({ label: 'me' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return {
    url,
    database,
    account,
    sql: async (text, values = []) => (await owner.pool.query(text, [...values])).rows,
  };
}

/** Looks again until it holds, for as long as a busy machine may need. */
/** Only against hanging: a busy machine is slow. */
const PATIENCE_MS = 60_000;

export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`never came true: ${holds}`);
    await sleep(10);
  }
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
