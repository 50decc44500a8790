// The auditor's role, made with the statements that docs/guides/postgresql.md gives to operators.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { freshStore } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { databaseOf } from './database.ts';

const { account, database, sql, url } = await freshStore();
const role = `auditor_${randomBytes(4).toString('hex')}`;

const guide = readFileSync(
  new URL('../../../../../docs/guides/postgresql.md', import.meta.url),
  'utf8',
);
const [, statements = ''] = /```sql\n(CREATE ROLE auditor[^`]*)```/.exec(guide) ?? [];
await sql(statements.replaceAll(/\bauditor\b/g, role));
const connectsAs = new URL(url);
connectsAs.username = role;
connectsAs.password = 'choose-a-password';
const auditor = new pg.Client({ connectionString: connectsAs.href });
await auditor.connect();
afterAll(async () => {
  await auditor.end();
  await sql(`DROP OWNED BY ${role}`);
  await sql(`DROP ROLE ${role}`);
});

test('an auditor sees how much there is in each account, by table and state', async () => {
  verifies('SEP-AUDITOR');
  const { id: other } = await database.allAccounts
    .insertInto('accounts')
    .values({ label: 'other' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const { kysely } = databaseOf(database, other);
  await kysely.insertInto('holds').values({ account_id: other, reason: 'secret' }).execute();
  const counted = async (table: string) =>
    (
      await auditor.query(
        'SELECT account, row_count FROM relay_audit.rows WHERE table_name = $1 ORDER BY account',
        [table],
      )
    ).rows;
  expect(await counted('holds')).toEqual([{ account: `${other}`, row_count: '1' }]);
  expect(await counted('ledger_heads')).toEqual(
    [account, other].map((id) => ({ account: `${id}`, row_count: '1' })),
  );
  const { rows } = await auditor.query('SELECT * FROM relay_audit.sizes');
  expect(rows.length).toBeGreaterThan(60);
});

test('every column of every table is refused to an auditor, also with an account chosen', async () => {
  verifies('SEP-AUDITOR');
  await auditor.query(`SET relay.account = '${account}'`);
  const columns = await sql<{ table: string; column: string }>(`
    SELECT format('%I.%I', n.nspname, c.relname) AS table, quote_ident(a.attname) AS column
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname IN ('relay', 'relay_jobs') AND c.relkind IN ('r', 'p', 'v') AND a.attnum > 0 AND NOT a.attisdropped`);
  expect(columns.length).toBeGreaterThan(500);
  for (const { table, column } of columns) {
    const read = auditor.query(`SELECT ${column} FROM ${table}`);
    await expect(read).rejects.toMatchObject({ code: '42501' });
  }
});

test('what an auditor sees are numbers, and names of tables and states', async () => {
  verifies('SEP-AUDITOR');
  const columns = await sql(`SELECT table_name || '.' || column_name AS name, data_type AS type
    FROM information_schema.columns WHERE table_schema = 'relay_audit' ORDER BY table_name, ordinal_position`);
  expect(columns).toEqual([
    { name: 'rows.account', type: 'bigint' },
    { name: 'rows.table_name', type: 'text' },
    { name: 'rows.state', type: 'text' },
    { name: 'rows.row_count', type: 'bigint' },
    { name: 'sizes.table_name', type: 'text' },
    { name: 'sizes.bytes', type: 'bigint' },
    { name: 'sizes.index_bytes', type: 'bigint' },
  ]);
  const writes = ['CREATE TABLE relay_audit.x (a integer)', 'DELETE FROM relay.messages'];
  for (const text of writes) await expect(auditor.query(text)).rejects.toThrow('permission denied');
});
