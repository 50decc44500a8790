import { freshDatabase } from '@relay/testing/postgres';
import { freshStore } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from './database.ts';
import { readRolePrivileges } from './roles.ts';

const { database, sql, account } = await freshStore();
const asDaemon = (text: string) => database.pool.query(text);

test("the daemon's role is not a superuser, owns nothing and can create nothing", async () => {
  verifies('TRUST-DAEMON-ROLE');
  expect(await readRolePrivileges(database.kysely)).toMatchObject({
    isSuperuser: false,
    isOwner: false,
  });
  const { rows } =
    await asDaemon(`SELECT (SELECT count(*) FROM pg_class c WHERE c.relowner = r.oid) AS relations,
      (SELECT count(*) FROM pg_proc p WHERE p.proowner = r.oid) AS functions,
      (SELECT count(*) FROM pg_namespace n WHERE n.nspowner = r.oid) AS schemas,
      rolcreatedb, rolcreaterole, rolreplication, rolbypassrls
    FROM pg_roles r WHERE r.rolname = current_user`);
  expect(rows).toEqual([
    {
      relations: 0,
      functions: 0,
      schemas: 0,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
      rolbypassrls: false,
    },
  ]);
});

test.each([
  ['switches off a trigger', 'ALTER TABLE ledger DISABLE TRIGGER ledger_append_only'],
  ['switches off all triggers and keys', 'SET session_replication_role = replica'],
  ['drops a key', 'ALTER TABLE outbox DROP CONSTRAINT outbox_to_the_chat_permitted'],
  ['rewrites a decision', "UPDATE ledger SET reason = 'x'"],
  ['deletes a decision', 'DELETE FROM ledger'],
  ['empties a table', 'TRUNCATE ledger'],
  ['drops a table', 'DROP TABLE permits'],
  ['makes a table', 'CREATE TABLE mine (a integer)'],
  [
    'replaces a function',
    'CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE sql AS $$ $$',
  ],
  ['makes a role', 'CREATE ROLE another'],
  [
    'becomes the owner',
    "SELECT set_config('role', tableowner, false) FROM pg_tables WHERE tablename = 'ledger'",
  ],
  ['forgets a migration', 'DELETE FROM schema_migrations'],
])('a daemon that %s is refused', async (_, statement) => {
  await expect(asDaemon(statement)).rejects.toThrow(/must be owner|permission denied/);
});

test('a new month of messages can still be created, and belongs to the owner role', async () => {
  const { rows } = await asDaemon("SELECT ensure_message_month('2031-05-01') AS name");
  const [owners] = await sql(
    `SELECT count(DISTINCT tableowner)::int AS count FROM pg_tables WHERE tablename = ANY($1)`,
    [['ledger', rows[0]?.name]],
  );
  expect(owners).toEqual({ count: 1 });
  await sql("INSERT INTO chats (account_id, kind, group_address) VALUES ($1, 'group', '5@g.us')", [
    account,
  ]);
  await database.pool.query(
    `INSERT INTO messages (account_id, sent_at, id, chat_id, from_me, message_id, kind, body)
     SELECT $1, '2031-05-05', 1, id, true, 'M', 'text', 'Hello' FROM chats`,
    [account],
  );
});

test('a daemon that connects as the owner of its tables is reported', async () => {
  const fresh = await freshDatabase();
  const owner = openDatabase({ connectionString: fresh.url }, { max: 1 });
  onTestFinished(async () => {
    await owner.close();
    await fresh.drop();
  });
  expect(await readRolePrivileges(owner.allAccounts)).toMatchObject({ isOwner: true });
});
