// Opens a fresh database with one account, for a test file or a single test. The given hook closes and drops it:
// `afterAll` of the file, or `onTestFinished` of one test.
import type { AccountId } from '@relay/contract/ids';
import type { Database } from '@relay/daemon/platform/db/database';
import { databaseOf, openDatabase, type SharedDatabase } from '@relay/daemon/platform/db/database';
import { afterAll } from 'vitest';
import { freshDatabase } from './postgres.ts';
import { testSealer } from './sealer.ts';

export interface TestStore {
  /** As the owner of everything. */
  readonly url: string;
  /** As the daemon's role. */
  readonly daemonUrl: string;
  /** With the daemon's role, which owns nothing, for the account. */
  readonly database: Database & SharedDatabase;
  readonly account: AccountId;
  /** Plain SQL as the owner, for what the code under test does not offer. */
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
  const shared = openDatabase(
    { connectionString: daemonUrl },
    { max, sealer: testSealer, owner: own },
  );
  after(async () => {
    await shared.close();
    await owner.close();
    await drop();
  });
  const { id: account } = await shared.allAccounts
    .insertInto('accounts')
    .values({ label: 'me' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return {
    url,
    daemonUrl,
    database: { ...shared, ...databaseOf(shared, account) },
    account,
    sql: async (text, values = []) => (await owner.pool.query(text, [...values])).rows,
  };
}

/** Polls until the condition holds, with a long timeout for busy machines. */
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
