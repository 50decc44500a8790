import { freshDatabase } from '@relay/testing/postgres';
import { expect, onTestFinished, test, vi } from 'vitest';

async function open(prepare: boolean) {
  const fresh = await freshDatabase();
  // Statement names are global to the process, and other test files have used some of them.
  vi.resetModules();
  const { openDatabase } = await import('./database.ts');
  const database = openDatabase({ connectionString: fresh.url }, { max: 1, prepare });
  onTestFinished(async () => {
    await database.close();
    await fresh.drop();
  });
  return database.pool;
}

const PREPARED = 'SELECT count(*) AS count FROM pg_prepared_statements';

test('a statement with values is planned once for each connection', async () => {
  const pool = await open(true);
  for (const n of [1, 2, 3]) {
    expect((await pool.query('SELECT $1::int + 1 AS next', [n])).rows).toEqual([{ next: n + 1 }]);
  }
  expect((await pool.query(PREPARED)).rows).toEqual([{ count: 1 }]);
});

test('several statements in one text are sent unchanged', async () => {
  const pool = await open(true);
  await pool.query('CREATE TEMP TABLE one (); CREATE TEMP TABLE two ();', []);
  expect((await pool.query(PREPARED)).rows).toEqual([{ count: 0 }]);
});

test("an unlimited number of texts does not fill the server's memory", async () => {
  const pool = await open(true);
  for (let n = 0; n < 400; n++) await pool.query(`SELECT $1::int AS n${n}`, [n]);
  const { rows } = await pool.query<{ count: number }>(PREPARED);
  expect(rows[0]?.count).toBeLessThanOrEqual(300);
});

test('nothing is prepared when preparing is off', async () => {
  const pool = await open(false);
  await pool.query('SELECT $1::int', [1]);
  expect((await pool.query(PREPARED)).rows).toEqual([{ count: 0 }]);
});
