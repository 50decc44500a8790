// A home of every earlier schema, with what its owner had in it, is taken up by today's daemon: nothing is lost, and it
// goes on from there.
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
import { ANA, ANAS_CHAT, INSTANCE, past, readPast, writePast } from './past.ts';

vi.setConfig({ testTimeout: 180_000 });

const known = await loadMigrations();
const newest = known.at(-1)?.number ?? 0;

/** Goes from schema to schema; every test has a copy of it as it was at its own. */
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
  'a home of schema %i (%s) is taken up with all that was in it',
  async (schema) => {
    const url = await databaseAt(schema);
    const names = await onServer(url, (client) => writePast(client, schema));
    const get = await startOn(url);
    expect(await get('/api/status')).toMatchObject({
      database: { schema_version: newest },
      hold: true,
      total_instance_count: schema >= 5 ? 1 : 0,
      needs_you_count: schema >= 5 ? 1 : 0,
      knocks_waiting: schema >= 2 ? 1 : 0,
    });
    const checks = (await get('/api/doctor')) as { checks: { name: string; ok: string }[] };
    expect(checks.checks.find(({ name }) => name === 'ledger')).toMatchObject({ ok: 'yes' });
    expect(await onServer(url, (client) => readPast(client, names))).toEqual(past(names));
  },
);

test('what was there can be reached by the routes of today', async () => {
  const url = await databaseAt(9);
  await onServer(url, (client) => writePast(client, 9));
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

test('what the runs of an earlier schema cost counts in the day’s spending', async () => {
  const url = await databaseAt(14);
  await onServer(url, (client) => writePast(client, 14));
  await startOn(url);
  const { rows } = await onServer(url, (client) =>
    client.query('SELECT sum(tokens)::int AS tokens FROM relay.spending'),
  );
  expect(rows).toEqual([{ tokens: 123 }]);
});

test('an upgrade that was cut off goes on where it was', async () => {
  const url = await databaseAt(20);
  const names = await onServer(url, (client) => writePast(client, 20));
  const { pool, close } = openDatabase({ connectionString: url });
  const broken = known.map((one) =>
    one.number === 27 ? { ...one, sql: `${one.sql}; SELECT 1 / 0` } : one,
  );
  await expect(migrate(pool, broken)).rejects.toThrow('division by zero');
  const { rows } = await pool.query('SELECT max(number) AS number FROM schema_migrations');
  expect(rows).toEqual([{ number: 26 }]);
  await close();
  const get = await startOn(url);
  expect(await get('/api/status')).toMatchObject({ database: { schema_version: newest } });
  expect(await onServer(url, (client) => readPast(client, names))).toEqual(past(names));
});

test('a private server whose superuser was the daemon is taken up by a role that owns nothing', async () => {
  const home = await newHome();
  const directory = join(home, 'postgres');
  const server = await startPrivateServer({ directory, log: silentLog });
  const before = openDatabase(server.connection);
  await migrate(
    before.pool,
    known.filter(({ number }) => number <= 38),
  );
  await (await Jobs.start(before, silentLog)).stop(0);
  const names = await onServer(connectionUrl(server.connection), (client) => writePast(client, 38));
  await before.pool.query('DROP ROLE relay_daemon');
  await before.close();
  await server.stop();

  const get = await startOn(undefined, home);
  const { checks } = (await get('/api/doctor')) as { checks: { name: string; ok: string }[] };
  for (const name of ['database', 'ledger', 'jobs']) {
    expect(checks).toContainEqual(expect.objectContaining({ name, ok: 'yes' }));
  }
  const found = await onServer(connectionUrl(server.connection), (client) =>
    readPast(client, names),
  );
  expect(found).toEqual(past(names));
});
