import { freshDatabase } from '@relay/testing/postgres';
import { eventually, times } from '@relay/testing/store';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from './database.ts';
import { loadMigrations, migrate } from './migrate.ts';

/** A database without any Relay tables. */
async function emptyDatabase() {
  const { url, drop } = await freshDatabase();
  const { pool, close } = openDatabase({ connectionString: url });
  onTestFinished(async () => {
    await close();
    await drop();
  });
  await pool.query('DROP SCHEMA relay CASCADE');
  const column = async (sql: string) =>
    (await pool.query({ text: sql, rowMode: 'array' })).rows.flat();
  return {
    pool,
    column,
    applied: () => column('SELECT number FROM schema_migrations ORDER BY number'),
    tables: () => column("SELECT tablename FROM pg_tables WHERE schemaname = 'relay' ORDER BY 1"),
  };
}

const migration = (number: number, sql: string, checksum = `${number}`) => ({
  number,
  name: `000${number}.sql`,
  sql,
  checksum,
});
const ONE = migration(1, 'CREATE TABLE one ()');
const TWO = migration(2, 'CREATE TABLE two ()');

test('an empty database gets every migration in order, and the last number is the schema version', async () => {
  const { pool, applied, tables } = await emptyDatabase();
  const known = await loadMigrations();
  expect(known.map(({ number }) => number)).toEqual(times(known.length, (i) => i + 1));
  expect(await migrate(pool)).toBe(known.length);
  expect(await applied()).toEqual(known.map(({ number }) => number));
  expect(await tables()).toContain('instances');
});

test('migrating again changes nothing', async () => {
  const { pool, column } = await emptyDatabase();
  await migrate(pool, [ONE, TWO]);
  const before = await column('SELECT applied_at::text FROM schema_migrations');
  expect(await migrate(pool, [ONE, TWO])).toBe(2);
  expect(await column('SELECT applied_at::text FROM schema_migrations')).toEqual(before);
});

test('only new migrations are applied', async () => {
  const { pool, applied } = await emptyDatabase();
  await migrate(pool, [ONE]);
  expect(await migrate(pool, [ONE, TWO])).toBe(2);
  expect(await applied()).toEqual([1, 2]);
});

test('migrations that start at the same time wait for each other', async () => {
  const { pool, applied } = await emptyDatabase();
  const slow = migration(1, 'CREATE TABLE one (); SELECT pg_sleep(0.1)');
  expect(await Promise.all(times(4, () => migrate(pool, [slow, TWO])))).toEqual([2, 2, 2, 2]);
  expect(await applied()).toEqual([1, 2]);
});

test('a database written by a newer Relay is refused and left unchanged', async () => {
  const { pool, applied, tables } = await emptyDatabase();
  await migrate(pool, [ONE, migration(3, 'CREATE TABLE three ()')]);
  await expect(migrate(pool, [ONE, TWO])).rejects.toMatchObject({
    code: 'schema_newer',
    message:
      'The database was written by a newer Relay (schema 3, this version knows 2). Upgrade Relay, or restore a backup made with this version.',
  });
  expect(await applied()).toEqual([1, 3]);
  expect(await tables()).not.toContain('two');
});

test('a migration that differs from the applied one is refused before newer ones are applied', async () => {
  const { pool, applied } = await emptyDatabase();
  await migrate(pool, [ONE]);
  await expect(migrate(pool, [migration(1, ONE.sql, 'other'), TWO])).rejects.toMatchObject({
    code: 'migration_changed',
    message: expect.stringContaining('0001.sql'),
  });
  expect(await applied()).toEqual([1]);
});

test('a migration that fails half-way is rolled back and can be tried again', async () => {
  const { pool, applied, tables } = await emptyDatabase();
  const broken = migration(2, 'CREATE TABLE two (); CREATE TABLE half (); SELECT 1/0');
  await expect(migrate(pool, [ONE, broken])).rejects.toThrow('division by zero');
  expect(await applied()).toEqual([1]);
  expect(await tables()).toEqual(['one', 'schema_migrations']);
  expect(await migrate(pool, [ONE, TWO])).toBe(2);
});

test('a migration that PostgreSQL ends because of a deadlock with another process is applied again', async () => {
  const { pool, applied } = await emptyDatabase();
  await migrate(pool, [ONE, TWO]);
  const other = await pool.connect();
  await other.query("BEGIN; SET LOCAL deadlock_timeout = '30s'; LOCK relay.two");
  const both = migration(3, 'ALTER TABLE one ADD a int; ALTER TABLE two ADD a int');
  const migrated = migrate(pool, [ONE, TWO, both]);
  await eventually(async () => {
    const { rowCount } = await pool.query(
      "SELECT FROM pg_locks WHERE relation = 'relay.two'::regclass AND NOT granted",
    );
    return rowCount === 1;
  });
  await other.query('SELECT FROM relay.one');
  await other.query('COMMIT');
  other.release();
  expect(await migrated).toBe(3);
  expect(await applied()).toEqual([1, 2, 3]);
});
