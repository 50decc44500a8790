import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newDirectory, query, serverPid, start, until } from '@relay/testing/private-server';
import { verifies } from '@relay/testing/verifies';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';

test('the first start creates a database, the next one finds it again', async () => {
  const directory = await newDirectory();
  const sentences: string[] = [];
  const onProgress = (sentence: string) => void sentences.push(sentence);
  const first = await start(directory, { onProgress });
  expect(first).toMatchObject({ adopted: false, version: expect.stringMatching(/^18\./) });
  expect(sentences).toEqual(['Preparing the database (first start only)']);
  await query(first.owner, 'CREATE TABLE kept AS SELECT 7 AS n');
  await first.stop();

  const second = await start(directory, { onProgress });
  expect(second.owner).toEqual(first.owner);
  expect(await query(second.owner, 'SELECT n FROM kept')).toEqual([7]);
  expect(sentences).toHaveLength(1);
});

test('the daemon gets a role that owns nothing, with a new password at each start', async () => {
  verifies('TRUST-DAEMON-ROLE');
  const directory = await newDirectory();
  const first = await start(directory);
  const standing = `SELECT rolname || ' ' || rolsuper FROM pg_roles WHERE rolname = current_user`;
  expect(await query(first.owner, standing)).toEqual(['relay true']);
  expect(await query(first.daemon, standing)).toEqual(['relay_daemon false']);
  await first.stop();
  const second = await start(directory);
  expect(second.daemon.password).not.toBe(first.daemon.password);
  expect(await query(second.daemon, 'SELECT 1')).toEqual([1]);
  await expect(
    query({ ...second.daemon, password: first.daemon.password }, 'SELECT 1'),
  ).rejects.toThrow();
});

test('the server starts while the caller is busy, and the first connection waits for the caller', async () => {
  const directory = await newDirectory();
  const connect = vi.spyOn(pg.Client.prototype, 'connect');
  onTestFinished(() => connect.mockRestore());
  const gate = Promise.withResolvers<void>();
  const starting = start(directory, { beforeConnecting: gate.promise });
  const isReady = async () =>
    (await readFile(join(directory, 'data/postmaster.pid'), 'utf8').catch(() => '')).includes(
      'ready',
    );
  // Pools of other test files in this process may connect meanwhile, to their own servers.
  const hosts = () =>
    connect.mock.contexts.map((client) => (client instanceof pg.Client ? client.host : null));
  await until(isReady);
  // The start checks this every 4 ms.
  await sleep(200);
  expect(hosts()).not.toContain(join(directory, 'data'));
  gate.resolve();
  const { owner } = await starting;
  expect(hosts()).toContain(join(directory, 'data'));
  expect(await query(owner, 'SELECT 1')).toEqual([1]);
});

test('the server is durable, uses UTF-8 and UTC, and has checksums', async () => {
  const { owner } = await start(await newDirectory());
  const names = ['fsync', 'synchronous_commit', 'data_checksums', 'server_encoding', 'TimeZone'];
  const shown = await Promise.all(names.map((name) => query(owner, `SHOW ${name}`)));
  expect(shown.flat()).toEqual(['on', 'on', 'on', 'UTF8', 'UTC']);
  expect(await query(owner, `SELECT upper('é')`)).toEqual(['É']);
});

test('the server listens on a socket in its own directory and on no network', async () => {
  const directory = await newDirectory();
  const { owner } = await start(directory);
  expect(owner.host).toBe(join(directory, 'data'));
  expect(await query(owner, 'SHOW listen_addresses')).toEqual(['']);
});

test('a path too long for a socket falls back to loopback, also after a restart', async () => {
  const directory = join(await newDirectory(), 'a'.repeat(100));
  const first = await start(directory);
  expect(first.owner.host).toBe('127.0.0.1');
  await query(first.owner, 'CREATE TABLE kept ()');
  await first.stop();
  const second = await start(directory);
  expect(await query(second.owner, 'SELECT count(*)::int FROM kept')).toEqual([0]);
});

test('a connection without the password is refused', async () => {
  const { owner } = await start(await newDirectory());
  const wrong = { ...owner, password: 'guess' };
  await expect(query(wrong, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  for (const host of [owner.host, '127.0.0.1']) {
    const none = { ...owner, host, password: '' };
    await expect(query(none, 'SELECT 1')).rejects.toThrow();
  }
  const ways = await query(owner, 'SELECT DISTINCT auth_method FROM pg_hba_file_rules');
  expect(ways).toEqual(['scram-sha-256']);
});

test('every file is 0600 and every directory 0700, while the server runs and afterwards', async () => {
  const directory = await newDirectory();
  const server = await start(directory);
  expect(await openModes(directory)).toEqual([]);
  await server.stop();
  expect(await openModes(directory)).toEqual([]);
  expect((await readFile(join(directory, 'password'), 'utf8')).trim()).toHaveLength(43);
});

async function openModes(directory: string): Promise<string[]> {
  const open: string[] = [];
  const names = await readdir(directory, { recursive: true });
  for (const name of ['', ...names]) {
    const found = await stat(join(directory, name)).catch(() => undefined);
    if (found && (found.mode & 0o077) !== 0) open.push(`${name} ${found.mode.toString(8)}`);
  }
  return open;
}

test.skipIf(process.platform !== 'linux')(
  "neither the daemon's password nor its environment reaches the server process",
  async () => {
    const directory = await newDirectory();
    process.env.RELAY_TEST_SECRET = 'do-not-pass-on';
    const { owner } = await start(directory);
    const pid = await serverPid(directory);
    for (const file of ['cmdline', 'environ']) {
      const text = await readFile(`/proc/${pid}/${file}`, 'utf8');
      expect(text.length).toBeGreaterThan(0);
      expect(text).not.toContain(owner.password);
      expect(text).not.toContain('do-not-pass-on');
    }
  },
);

test("text that people wrote never reaches the server's log", async () => {
  const directory = await newDirectory();
  const { owner } = await start(directory);
  await query(owner, 'CREATE TABLE people (phone text PRIMARY KEY)');
  await query(owner, `INSERT INTO people VALUES ('+39 333 1234567')`);
  const again = query(owner, `INSERT INTO people VALUES ('+39 333 1234567')`);
  await expect(again).rejects.toMatchObject({ code: '23505' });
  const log = await readFile(join(directory, 'postgres.log'), 'utf8');
  expect(log).toContain('duplicate key value');
  expect(log).not.toContain('1234567');
});

test('data of another major version is left unchanged, with an error that says what to do', async () => {
  const directory = await newDirectory();
  await (await start(directory)).stop();
  await writeFile(join(directory, 'data', 'PG_VERSION'), '17\n');
  await expect(start(directory)).rejects.toMatchObject({
    code: 'database_start_failed',
    message: expect.stringMatching(/written by PostgreSQL 17.*`relay export`/),
  });
});

test("a server that cannot start reports PostgreSQL's reason", async () => {
  const directory = await newDirectory();
  await expect(start(directory, { settings: { shared_buffers: '1' } })).rejects.toMatchObject({
    code: 'database_start_failed',
    message: expect.stringContaining('shared_buffers'),
  });
  const server = await start(directory);
  expect(await query(server.owner, 'SELECT 1')).toEqual([1]);
});

test('a first start that was interrupted half-way begins again', async () => {
  const directory = await newDirectory();
  const server = await start(directory);
  await server.stop();
  await rename(join(directory, 'data'), join(directory, 'data.new'));
  const again = await start(directory);
  expect(await query(again.owner, 'SELECT 1')).toEqual([1]);
  expect(await readdir(directory)).not.toContain('data.new');
});

test('a first start that was interrupted before its database was created is completed', async () => {
  const directory = await newDirectory();
  const server = await start(directory);
  const other = { ...server.owner, database: 'template1' };
  await query(other, 'ALTER DATABASE relay RENAME TO postgres');
  await server.stop();
  const again = await start(directory);
  expect(await query(again.owner, 'SELECT current_database()')).toEqual(['relay']);
});
