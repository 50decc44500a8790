// An empty store with one account, on a private PostgreSQL with durable commits.

import { silentLog } from '@relay/core/log';
import { databaseOf, openDatabase } from '@relay/daemon/platform/db/database';
import { prepareSchema } from '@relay/daemon/schema';
import { testSealer } from '@relay/testing/sealer';
import type { TestStore } from '@relay/testing/store';
import { benchServer } from './harness.ts';

export async function openStore(): Promise<
  Omit<TestStore, 'url' | 'daemonUrl'> & { close(): Promise<void> }
> {
  const server = await benchServer();
  const shared = openDatabase(server.daemon, { sealer: testSealer, owner: server.target });
  const owner = openDatabase(server.target, { sealer: testSealer });
  await prepareSchema(shared, server.target, silentLog);
  const { id: account } = await shared.allAccounts
    .insertInto('accounts')
    .values({ label: 'me' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return {
    database: { ...shared, ...databaseOf(shared, account) },
    account,
    sql: async (text, values = []) => (await owner.pool.query(text, [...values])).rows,
    async close() {
      await shared.close();
      await owner.close();
      await server.close();
    },
  };
}
