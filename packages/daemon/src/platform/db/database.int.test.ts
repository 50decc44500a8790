import { freshDatabase } from '@relay/testing/postgres';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDatabase } from './database.ts';

it.each([
  ['a pool that kysely never used', false],
  ['a pool that kysely used', true],
])('closing the database ends every connection of %s', async (_what, used) => {
  const fresh = await freshDatabase();
  const watcher = openDatabase({ connectionString: fresh.url }, { max: 1 });
  const others = async () => {
    const { rows } = await watcher.pool.query(
      'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    return rows.length;
  };
  const database = openDatabase({ connectionString: fresh.url });
  await database.pool.query('SELECT 1');
  if (used) await sql`SELECT 1`.execute(database.allAccounts);
  expect(await others()).toBeGreaterThan(0);
  await database.close();
  expect(database.pool.totalCount).toBe(0);
  await expect.poll(others).toBe(0);
  await watcher.close();
  await fresh.drop();
});
