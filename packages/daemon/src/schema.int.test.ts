import { silentLog } from '@relay/core/log';
import { freshDatabase, onServer } from '@relay/testing/postgres';
import { verifies } from '@relay/testing/verifies';
import { getRollbackPlans } from 'pg-boss';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from './platform/db/database.ts';
import { loadMigrations } from './platform/db/migrate.ts';
import { readRolePrivileges } from './platform/db/roles.ts';
import { prepareSchema } from './schema.ts';

const newest = (await loadMigrations()).at(-1)?.number;
const EMPTY = 'DROP SCHEMA relay CASCADE; DROP SCHEMA relay_jobs CASCADE';

/** A database with two roles, one of which owns everything in it. */
async function twoRoles() {
  const { url, daemonUrl, drop } = await freshDatabase();
  const database = openDatabase({ connectionString: daemonUrl }, { max: 4 });
  onTestFinished(async () => {
    await database.close();
    await drop();
  });
  const start = async (owner = url) => {
    const schema = await prepareSchema(database, { connectionString: owner }, silentLog);
    const jobs = await schema.startJobs();
    await jobs.stop(0);
    return schema.version;
  };
  return { database, start, change: (sql: string) => onServer(url, (client) => client.query(sql)) };
}

const NOBODY = 'postgres://nobody:x@127.0.0.1:1/x';

test("the owner role creates the tables, and the daemon's role uses them and owns none", async () => {
  verifies('TRUST-DAEMON-ROLE');
  const { database, start, change } = await twoRoles();
  await change(EMPTY);
  expect(await start()).toBe(newest);
  expect(await readRolePrivileges(database.allAccounts)).toMatchObject({ isOwner: false });
  await database.pool.query("INSERT INTO accounts (label) VALUES ('me')");
});

test('a start that needs no migration does not connect as the owner role', async () => {
  const { start } = await twoRoles();
  expect(await start(NOBODY)).toBe(newest);
});

test.each([
  ['a right that an upgrade was cut off before', 'REVOKE ALL ON relay.grants FROM ROLE'],
  ['a schema that it may not look into', 'REVOKE USAGE ON SCHEMA relay FROM ROLE'],
  ['the tables', 'DROP SCHEMA relay CASCADE'],
  ['the job queue', 'DROP SCHEMA relay_jobs CASCADE'],
  ['a newer job queue', getRollbackPlans('relay_jobs')],
])('the owner role is used when the daemon lacks %s', async (_, statement) => {
  const { database, start, change } = await twoRoles();
  const { user } = await readRolePrivileges(database.allAccounts);
  await change(statement.replace('ROLE', user));
  await expect(start(NOBODY)).rejects.toThrow();
  expect(await start()).toBe(newest);
  await database.pool.query('SELECT FROM grants');
  const { rows } = await database.pool.query("SELECT FROM relay_jobs.bam WHERE status = 'pending'");
  expect(rows).toEqual([]);
});
