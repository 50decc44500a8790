// Today's daemon opens a home of every earlier schema and loses none of the owner's data. Schemas before 14 were never
// released (decision 0003): there they represent a first start that was interrupted.
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@relay/core/log';
import { loadConfig } from '@relay/daemon/config';
import { startDaemon } from '@relay/daemon/daemon';
import { openDatabase } from '@relay/daemon/platform/db/database';
import { loadMigrations, migrate } from '@relay/daemon/platform/db/migrate';
import { startPrivateServer } from '@relay/daemon/platform/db/postgres/server';
import { connectionUrl } from '@relay/daemon/platform/db/postgres/settings';
import { Jobs } from '@relay/daemon/platform/jobs/jobs';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { rawRequest } from '../e2e/raw-request.ts';
import { freshDatabase, onServer } from '../postgres.ts';
import { removeFolder } from '../remove-folder.ts';
import { times } from '../store.ts';
import { ANA, ANAS_CHAT, INSTANCE, past, readPast, writePast } from './past.ts';

vi.setConfig({ testTimeout: 180_000 });

const known = await loadMigrations();
const newest = known.at(-1)?.number ?? 0;

/** Goes from schema to schema; every test gets a copy at its own schema. */
let growing = { database: await freshDatabase(), schema: 0 };
afterAll(() => growing.database.drop());

/** A database as the Relay of that schema left it. */
async function databaseAt(schema: number) {
  if (schema < growing.schema) {
    await growing.database.drop();
    growing = { database: await freshDatabase(), schema: 0 };
  }
  const { pool, close } = openDatabase({ connectionString: growing.database.url });
  if (growing.schema === 0) await pool.query('DROP SCHEMA relay CASCADE');
  await migrate(
    pool,
    known.filter(({ number }) => number <= schema),
  );
  growing.schema = schema;
  await close();
  const { url, drop } = await freshDatabase(growing.database);
  onTestFinished(drop);
  return url;
}

const newHome = async () => join(await mkdtemp(join(tmpdir(), 'relay-upgrade-')), 'home');

async function startOn(url: string | undefined, home?: string) {
  home ??= await newHome();
  const config = loadConfig({
    RELAY_HOME: home,
    RELAY_PORT: '0',
    DATABASE_URL: url,
    RELAY_KEY_FILE: `${home}.key`,
    HOME: home,
  });
  const daemon = await startDaemon({ config, webDirectory: null });
  onTestFinished(async () => {
    await daemon.stop();
    await removeFolder(join(home, '..'));
  });
  const token = (await readFile(join(home, 'token'), 'utf8')).trim();
  return async (path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const { status, json } = await rawRequest({ port: daemon.port, method: 'GET', path, headers });
    expect({ path, status }).toEqual({ path, status: 200 });
    return json as never;
  };
}

test.each(known.map(({ number, name }) => [number, name] as const))(
  'a home of schema %i (%s) is upgraded with all its data',
  async (schema) => {
    const url = await databaseAt(schema);
    const names = await onServer(url, (client) => writePast(client, schema));
    const get = await startOn(url);
    const count = (name: string) => (names.includes(name) ? 1 : 0);
    expect(await get('/api/status')).toMatchObject({
      database: { schema_version: newest },
      hold: names.includes('holds'),
      total_instance_count: count('conversations'),
      needs_you_count: count('conversations'),
      knocks_waiting: count('knocks'),
    });
    // Before the doctor, who ends the subscriptions of push keys that this home cannot open.
    expect(await onServer(url, (client) => readPast(client, names))).toEqual(past(names));
    const checks = (await get('/api/doctor')) as { checks: { name: string; ok: string }[] };
    expect(checks.checks.find(({ name }) => name === 'ledger')).toMatchObject({ ok: 'yes' });
  },
);

test("upgraded data can be reached by today's routes", async () => {
  const url = await databaseAt(12);
  await onServer(url, (client) => writePast(client, 12));
  const get = await startOn(url);
  expect(await get(`/api/instances/${INSTANCE}`)).toMatchObject({
    state: 'NEEDS_HUMAN_INTERVENTION',
    contact_name: 'Ana',
    created_by: 'owner',
  });
  expect(await get(`/api/instances/${INSTANCE}/transcript`)).toMatchObject([
    { content: 'Tuesday?' },
  ]);
  expect(await get(`/api/chats/${ANAS_CHAT}/messages`)).toMatchObject({
    messages: [{ text: 'Grüße 👩‍👧' }],
  });
  expect(await get(`/api/contacts/${ANA}`)).toMatchObject({
    addresses: [{ value: '15550000001' }],
  });
  expect(await get('/api/schedules')).toMatchObject([{ text: 'Happy new year' }]);
  expect(await get('/api/tokens')).toMatchObject({ tokens: [{ name: 'claude', confirm: true }] });
  expect(await get('/api/search?q=Gr%C3%BC%C3%9Fe')).toBeDefined();
});

/** A migration of the next version: it adds a column, and fills a table from existing rows. */
const NEXT = {
  number: newest + 1,
  name: 'next.sql',
  checksum: 'next',
  sql: `ALTER TABLE instances ADD COLUMN applied integer NOT NULL DEFAULT 0;
    UPDATE instances SET applied = applied + 1;
    CREATE TABLE tokens_used AS SELECT sum(input_tokens + output_tokens)::int AS tokens FROM runs;
    SELECT pg_sleep(0.1)`,
};

test("four migrators apply the next migration once, and today's version refuses the result", async () => {
  const url = await databaseAt(newest);
  const names = await onServer(url, (client) => writePast(client, newest));
  const { pool, close } = openDatabase({ connectionString: url });
  onTestFinished(close);
  const versions = await Promise.all(times(4, () => migrate(pool, [...known, NEXT])));
  expect(versions).toEqual(times(4, () => NEXT.number));
  const { rows } = await pool.query('SELECT applied, tokens FROM instances, tokens_used');
  expect(rows).toEqual([{ applied: 1, tokens: 123 }]);
  expect(await onServer(url, (client) => readPast(client, names))).toEqual(past(names));
  await expect(migrate(pool)).rejects.toMatchObject({ code: 'schema_newer' });
});

test("a next migration that fails half-way leaves no changes, and today's daemon starts as before", async () => {
  const url = await databaseAt(newest);
  const names = await onServer(url, (client) => writePast(client, newest));
  const { pool, close } = openDatabase({ connectionString: url });
  const broken = { ...NEXT, sql: `${NEXT.sql}; SELECT 1 / 0` };
  await expect(migrate(pool, [...known, broken])).rejects.toThrow('division by zero');
  const { rows } = await pool.query(
    "SELECT max(number) AS number, to_regclass('tokens_used') AS half FROM schema_migrations",
  );
  expect(rows).toEqual([{ number: newest, half: null }]);
  await close();
  const get = await startOn(url);
  expect(await get('/api/status')).toMatchObject({ database: { schema_version: newest } });
  expect(await onServer(url, (client) => readPast(client, names))).toEqual(past(names));
});

test('an interrupted upgrade continues where it was', async () => {
  const url = await databaseAt(6);
  const names = await onServer(url, (client) => writePast(client, 6));
  const { pool, close } = openDatabase({ connectionString: url });
  const broken = known.map((one) =>
    one.number === 10 ? { ...one, sql: `${one.sql}; SELECT 1 / 0` } : one,
  );
  await expect(migrate(pool, broken)).rejects.toThrow('division by zero');
  const { rows } = await pool.query('SELECT max(number) AS number FROM schema_migrations');
  expect(rows).toEqual([{ number: 9 }]);
  await close();
  const get = await startOn(url);
  expect(await get('/api/status')).toMatchObject({ database: { schema_version: newest } });
  expect(await onServer(url, (client) => readPast(client, names))).toEqual(past(names));
});

test('a private server whose superuser was the daemon is switched to a role that owns nothing', async () => {
  const home = await newHome();
  const directory = join(home, 'postgres');
  const server = await startPrivateServer({ directory, log: silentLog });
  const before = openDatabase(server.owner);
  await migrate(before.pool);
  await (await Jobs.start(before, silentLog)).stop(0);
  const names = await onServer(connectionUrl(server.owner), (client) => writePast(client, newest));
  await before.pool.query('DROP ROLE relay_daemon');
  await before.close();
  await server.stop();

  const get = await startOn(undefined, home);
  const found = await onServer(connectionUrl(server.owner), (client) => readPast(client, names));
  expect(found).toEqual(past(names));
  const { checks } = (await get('/api/doctor')) as { checks: { name: string; ok: string }[] };
  for (const name of ['database', 'ledger', 'jobs']) {
    expect(checks).toContainEqual(expect.objectContaining({ name, ok: 'yes' }));
  }
});
