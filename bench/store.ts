// An empty store with one account, on a private PostgreSQL with durable commits.
import { openDatabase } from '@relay/daemon/platform/db/database';
import { migrate } from '@relay/daemon/platform/db/migrate';
import { testSealer } from '@relay/testing/sealer';
import type { TestStore } from '@relay/testing/store';
import { benchServer } from './harness.ts';

export async function openStore(): Promise<Omit<TestStore, 'url'> & { close(): Promise<void> }> {
  const server = await benchServer();
  const database = openDatabase(server.target, { sealer: testSealer });
  await migrate(database.pool);
  const { id: account } = await database.kysely
    .insertInto('accounts')
    .values({ label: 'me' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return {
    database,
    account,
    sql: async (text, values = []) => (await database.pool.query(text, [...values])).rows,
    async close() {
      await database.close();
      await server.close();
    },
  };
}
