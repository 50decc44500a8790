// What keeps accounts apart in the database: a policy on every table, and connections that work for one account.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { AccountId } from '@relay/contract/ids';
import { freshStore, type TestStore, times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { sql as kyselySql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { databaseOf, onCommit, openDatabase } from './database.ts';

const store = await freshStore();
const { account, database, sql } = store;

async function addAccount(): Promise<AccountId> {
  const { id } = await database.allAccounts
    .insertInto('accounts')
    .values({ label: 'other' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Tables with an account that show more than their policy allows, or have none. */
const unprotected = (from: Pick<TestStore, 'sql'>) =>
  from.sql<{ name: string }>(`
    SELECT c.relname AS name FROM pg_class c
    WHERE c.relnamespace = 'relay'::regnamespace AND c.relkind IN ('r', 'p')
      AND (c.relname = 'accounts' OR EXISTS (SELECT FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attname = 'account_id' AND NOT a.attisdropped))
      AND NOT (c.relrowsecurity AND c.relforcerowsecurity AND CASE WHEN c.relispartition
        -- Seen only through the table that it is a part of.
        THEN NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid)
        ELSE (SELECT count(*) = 1 AND bool_and(p.polcmd = '*' AND p.polwithcheck IS NULL AND p.polpermissive
            AND pg_get_expr(p.polqual, c.oid) LIKE '%current_account()%')
          FROM pg_policy p WHERE p.polrelid = c.oid) END)
    ORDER BY 1`);

test('every table with an account has a policy, and its partitions are closed', async () => {
  verifies('SEP-POLICY');
  await sql("SELECT ensure_message_month('2031-01-01'), ensure_message_month('2031-02-01', 4)");
  expect(await unprotected(store)).toEqual([]);
  const [{ tables } = { tables: 0 }] = await sql<{ tables: number }>(
    "SELECT count(*)::int AS tables FROM pg_policy p WHERE p.polname = 'one_account'",
  );
  expect(tables).toBeGreaterThan(60);
});

test.each([
  ['loses its policy', 'DROP POLICY one_account ON outbox', 'outbox'],
  ['switches its policy off', 'ALTER TABLE messages DISABLE ROW LEVEL SECURITY', 'messages'],
  ['does not hold its owner', 'ALTER TABLE chats NO FORCE ROW LEVEL SECURITY', 'chats'],
  ['gets a second policy', 'CREATE POLICY open ON grants USING (true)', 'grants'],
  ['is new', 'CREATE TABLE novelties (account_id bigint NOT NULL, body text)', 'novelties'],
])('a table that %s is reported', async (_, change, name) => {
  verifies('SEP-POLICY');
  const fresh = await freshStore(onTestFinished);
  await fresh.sql(change);
  expect(await unprotected(fresh)).toEqual([{ name }]);
});

test('a session without an account sees no row and writes none', async () => {
  verifies('SEP-POLICY');
  const client = new pg.Client({
    connectionString: store.daemonUrl,
    options: '-c search_path=relay',
  });
  await client.connect();
  onTestFinished(() => client.end());
  expect((await client.query('SELECT FROM accounts')).rowCount).toBe(0);
  expect((await client.query('SELECT FROM ledger_heads')).rowCount).toBe(0);
  await expect(
    client.query("INSERT INTO settings (account_id, key, value) VALUES ($1, 'a', '1')", [account]),
  ).rejects.toThrow('row-level security');
});

test('an account sees and writes its own rows only, whatever the statement says', async () => {
  verifies('SEP-POLICY', 'SEP-DRIVER');
  const other = await addAccount();
  const [own, others] = [database.kysely, databaseOf(database, other).kysely];
  const put = (db: typeof own, id: AccountId) =>
    db.insertInto('settings').values({ account_id: id, key: 'k', value: '1' }).execute();
  await put(own, account);
  await put(others, other);
  const seen = async (db: typeof own) =>
    (await db.selectFrom('settings').select('account_id').execute()).map((row) => row.account_id);
  expect(await seen(own)).toEqual([account]);
  expect(await seen(others)).toEqual([other]);
  await expect(put(own, other)).rejects.toThrow('row-level security');
  expect(await own.updateTable('settings').set({ key: 'x' }).executeTakeFirst()).toMatchObject({
    numUpdatedRows: 1n,
  });
  expect(await own.deleteFrom('settings').executeTakeFirst()).toMatchObject({ numDeletedRows: 1n });
  expect(await seen(others)).toEqual([other]);
  // The handle for all accounts reaches the tables that are shared, and no content.
  expect(await seen(database.allAccounts)).toEqual([]);
  const all = await database.allAccounts.selectFrom('accounts').select('id').execute();
  expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining([account, other]));
});

test('a policy also holds for a role that owns the table', async () => {
  verifies('SEP-POLICY');
  const fresh = await freshStore(onTestFinished);
  const role = `owner_${randomUUID().slice(0, 8)}`;
  await fresh.sql(`CREATE ROLE ${role} LOGIN PASSWORD 'x'`);
  await fresh.sql(`GRANT USAGE ON SCHEMA relay TO ${role}`);
  await fresh.sql(`ALTER TABLE settings OWNER TO ${role}`);
  await fresh.sql("INSERT INTO settings (account_id, key, value) VALUES ($1, 'k', '1')", [
    fresh.account,
  ]);
  const target = new URL(fresh.url);
  target.username = role;
  target.password = 'x';
  const client = new pg.Client({ connectionString: target.href });
  await client.connect();
  const seenBy = async (account: string) => {
    await client.query(`SET relay.account = '${account}'`);
    return (await client.query('SELECT FROM relay.settings')).rowCount;
  };
  expect(await seenBy(`${fresh.account}`)).toBe(1);
  expect(await seenBy(`${fresh.account + 1}`)).toBe(0);
  expect(await seenBy('*')).toBe(0);
  await client.end();
  await fresh.sql(
    `ALTER TABLE settings OWNER TO current_user; DROP OWNED BY ${role}; DROP ROLE ${role}`,
  );
});

test('a hundred connections of mixed accounts never answer for another one', async () => {
  verifies('SEP-DRIVER');
  const accounts = [account, await addAccount(), await addAccount()];
  const handles = accounts.map((id) => ({ id, db: databaseOf(database, id).kysely }));
  for (const { id, db } of handles)
    await db.insertInto('settings').values({ account_id: id, key: 'mixed', value: '1' }).execute();
  const asked = times(300, async (n) => {
    const { id, db } = handles[n % handles.length] as (typeof handles)[number];
    if (n % 7 === 0) await db.executeQuery(kyselySql`SELECT 1 / 0`.compile(db)).catch(() => {});
    const rows = await db
      .transaction()
      .execute((tx) =>
        tx.selectFrom('settings').select('account_id').where('key', '=', 'mixed').execute(),
      );
    expect(rows).toEqual([{ account_id: id }]);
  });
  await Promise.all(asked);
});

test('one account alone causes no statement more than without separation', async () => {
  verifies('SEP-DRIVER');
  const shared = openDatabase({ connectionString: store.daemonUrl }, { max: 1 });
  onTestFinished(() => shared.close());
  const { kysely } = databaseOf(shared, account);
  const sent: string[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function count(this: pg.Client, ...asked: unknown[]) {
    sent.push(String((asked[0] as { text?: string }).text ?? asked[0]));
    return Reflect.apply(query, this, asked);
  } as typeof query;
  try {
    for (let n = 0; n < 5; n++) await kysely.selectFrom('settings').select('key').execute();
    await kysely.transaction().execute((tx) => tx.selectFrom('holds').select('since').execute());
  } finally {
    pg.Client.prototype.query = query;
  }
  const own = (text: string) => text.includes('relay.account');
  expect(sent.filter(own)).toEqual([`SET relay.account = '${account}'`]);
  // Five statements, and a transaction of three.
  expect(sent.filter((text) => !own(text))).toHaveLength(8);
});

test('behind a pooler in transaction mode every transaction says for whom it works', async () => {
  verifies('SEP-POOLER');
  const other = await addAccount();
  // One session that the accounts share in turn, as a pooler would give it to them.
  const pooled = openDatabase({ connectionString: store.daemonUrl }, { max: 1, prepare: false });
  onTestFinished(() => pooled.close());
  const [own, others] = [databaseOf(pooled, account).kysely, databaseOf(pooled, other).kysely];
  const key = randomUUID();
  await own.insertInto('settings').values({ account_id: account, key, value: '1' }).execute();
  const committed: string[] = [];
  await others.transaction().execute(async (tx) => {
    await onCommit(tx, () => committed.push('others'));
    await tx.insertInto('settings').values({ account_id: other, key, value: '2' }).execute();
  });
  expect(committed).toEqual(['others']);
  const seen = async (db: typeof own) =>
    (await db.selectFrom('settings').select('account_id').where('key', '=', key).execute()).map(
      (row) => row.account_id,
    );
  for (const _ of times(3, (n) => n)) {
    expect(await seen(own)).toEqual([account]);
    expect(await seen(others)).toEqual([other]);
  }
  await expect(own.executeQuery(kyselySql`SELECT 1 / 0`.compile(own))).rejects.toThrow('division');
  expect(await seen(others)).toEqual([other]);
  // Between two transactions the session belongs to nobody.
  const { rows } = await pooled.pool.query(
    "SELECT current_setting('relay.account', true) AS account",
  );
  expect(rows).toEqual([{ account: '' }]);
});

/** Everything else works for one account. */
const FOR_ALL_ACCOUNTS = [
  'accounts.ts',
  'compose.ts',
  'drill.ts',
  'features/backup/export.ts',
  'features/backup/import.ts',
  'platform/db/database.ts',
  'platform/jobs/jobs.ts',
];

test('only the listed files use the handle for all accounts', () => {
  verifies('SEP-SHARED');
  const root = new URL('../../', import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/\.test\.ts$|(^|\/)testing\//.test(file),
  );
  const users = files.filter((file) =>
    /\ballAccounts\b/.test(readFileSync(new URL(file, root), 'utf8')),
  );
  expect(users.sort()).toEqual(FOR_ALL_ACCOUNTS);
});
