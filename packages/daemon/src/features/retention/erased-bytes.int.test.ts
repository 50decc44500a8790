import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { AccountId } from '@relay/contract/ids';
import { silentLog } from '@relay/core/log';
import { plant } from '@relay/testing/erase/plant';
import { scanFolder } from '@relay/testing/erase/scan';
import { removeFolder } from '@relay/testing/remove-folder';
import { eventually, sleep } from '@relay/testing/store';
import type { PoolClient } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { openDatabase } from '../../platform/db/database.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { startPrivateServer } from '../../platform/db/postgres/server.ts';
import { scourDatabase } from './scour.ts';

const directory = await mkdtemp(join(tmpdir(), 'relay-scour-'));
const server = await startPrivateServer({ directory, log: silentLog });
const database = openDatabase(server.owner);
afterAll(async () => {
  await database.close();
  await server.stop();
  await removeFolder(directory);
});
await migrate(database.pool);
const db = database.allAccounts;
const own = { kind: 'private', data: join(directory, 'data') } as const;
const sql = async (text: string, values: readonly unknown[] = []) =>
  (await database.pool.query(text, [...values])).rows;

/** Deletes everything but the account. */
async function deleteAll() {
  const tables = [
    'outbox',
    'permits',
    'approvals',
    'message_keys',
    'messages',
    'contacts',
    'chats',
  ];
  for (const table of [
    ...tables,
    'inbox',
    'decrypt_journal',
    'sessions',
    'webhooks',
    'idempotency_keys',
  ])
    await sql(`DELETE FROM ${table}`);
}

/** Writes enough that segments of the log are recycled. */
async function fillLog(words: string) {
  for (let n = 0; n < 8; n++) {
    await sql(`SELECT pg_logical_emit_message(false, 'log', $1 || repeat('x', 12000000))`, [words]);
    await sql('SELECT pg_switch_wal()');
  }
  await sql('CHECKPOINT');
}

test('leaves no byte of deleted data in any table, index, statistic or log', {
  timeout: 120_000,
}, async () => {
  const [row] = await sql(`INSERT INTO accounts (label) VALUES ('me') RETURNING id`);
  const { tag } = await plant(sql, row.id as AccountId, { long: true });
  await sql('ANALYZE');
  await fillLog(tag);

  // Proves that the scan works: it finds the text in heaps, in compressed values, in statistics and in the log.
  const planted = await scanFolder(directory, tag);
  expect(new Set(planted.map(({ way }) => way))).toEqual(new Set(['plain', 'compressed']));
  const files = planted.map(({ file }) => file).join('\n');
  const [statistic] = await sql(`SELECT pg_relation_filepath('pg_statistic') AS path`);
  expect(files).toContain(statistic.path);
  const [{ current }] = await sql('SELECT pg_walfile_name(pg_current_wal_lsn()) AS current');
  const log = planted.map(({ file }) => file).filter((file) => file.includes('pg_wal'));
  expect(log.filter((file) => basename(file) > current)).not.toEqual([]);

  // Deleting and a plain VACUUM are not enough.
  await deleteAll();
  await sql('VACUUM ANALYZE');
  await sql('CHECKPOINT');
  expect((await scanFolder(directory, tag)).length).toBeGreaterThan(3);

  expect(await scourDatabase({ db, server: own })).toBe('all');
  expect(await scanFolder(directory, tag)).toEqual([]);
  expect(await sql('SHOW wal_recycle')).toEqual([{ wal_recycle: 'on' }]);
});

test('waits for open snapshots, then reports that the bytes are still there', async () => {
  const reader = await database.pool.connect();
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await reader.query('SELECT count(*) FROM messages');
  await sql(`UPDATE accounts SET label = 'you'`);
  expect(await scourDatabase({ db, server: own, patienceMs: 200 })).toBe('none');
  const scoured = scourDatabase({ db, server: own });
  await reader.query('COMMIT');
  expect(await scoured).toBe('all');
  reader.release();
});

/** A transaction that has created a table, on a server that may have to recover first. */
async function begunAgain(): Promise<PoolClient> {
  const opened: PoolClient[] = [];
  await eventually(async () => {
    const client = await database.pool.connect().catch(() => null);
    try {
      await client?.query('BEGIN');
      await client?.query('CREATE TABLE soon_committed AS SELECT 7 AS figure');
      if (client !== null) opened.push(client);
    } catch {
      client?.release(true);
    }
    return opened.length > 0;
  });
  return opened[0] as PoolClient;
}

test('removes the table files that a killed server left behind, and nothing else', {
  timeout: 60_000,
}, async () => {
  const words = 'u5e3b1d9f7a2c4806e8d6b4f2a0c1q';
  const writer = await database.pool.connect();
  const { pid } = (await writer.query('SELECT pg_backend_pid() AS pid')).rows[0];
  await writer.query('BEGIN');
  await writer.query('CREATE TABLE never_committed AS SELECT $1::text AS words', [words]);
  await sql('CHECKPOINT');
  // The server ends all connections once it has noticed; until then it answers as if nothing had happened.
  const witness = await database.pool.connect();
  const noticed = once(witness, 'error');
  process.kill(pid, 'SIGKILL');
  await noticed;
  witness.release(true);
  writer.release(true);
  const open = await begunAgain();
  expect((await scanFolder(directory, words)).map(({ file }) => file).join('\n')).toMatch(/base/);
  const scoured = scourDatabase({ db, server: own });
  await sleep(500);
  await open.query('COMMIT');
  open.release();
  expect(await scoured).toBe('all');
  expect(await scanFolder(directory, words)).toEqual([]);
  expect(await sql('SELECT figure FROM soon_committed')).toEqual([{ figure: 7 }]);
});
