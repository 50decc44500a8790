import { randomUUID } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { BackupSettings } from '@relay/contract/settings';
import { silentLog } from '@relay/core/log';
import { removeFolder } from '@relay/testing/remove-folder';
import { eventually, freshStore } from '@relay/testing/store';
import { expect, onTestFinished, test } from 'vitest';
import { takeLease } from '../../platform/db/lease.ts';
import { Jobs } from '../../platform/jobs/jobs.ts';
import { exportArchive } from './export.ts';
import { type BackupDeps, type BackupRecord, openBackups } from './feature.ts';
import { importArchive } from './import.ts';

async function store() {
  const fresh = await freshStore(onTestFinished);
  const jobs = await Jobs.start(fresh.database, silentLog);
  onTestFinished(() => jobs.stop(100));
  return { ...fresh, jobs };
}

async function fixture(settings: Partial<BackupSettings> = {}, more: Partial<BackupDeps> = {}) {
  const { database, jobs, sql, account } = await store();
  const folder = join(await mkdtemp(join(tmpdir(), 'relay backups ')), 'kept');
  onTestFinished(() => removeFolder(join(folder, '..')));
  let memory: BackupRecord = { last_at: null, failed: null };
  let now = new Date('2026-11-16T12:00:00Z');
  const deps: BackupDeps = {
    jobs,
    log: silentLog,
    now: () => now,
    settings: { every: 'off', keep: 3, folder: null, ...settings },
    defaultFolder: folder,
    zone: 'UTC',
    archive: () => exportArchive({ database, jobs, version: 'test', schemaVersion: 1 }),
    readRecord: async () => memory,
    writeRecord: async (next) => {
      memory = next;
    },
    ...more,
  };
  const pass = (ms: number) => {
    now = new Date(now.getTime() + ms);
  };
  const files = () => readdirSync(folder).sort();
  return { backups: openBackups(deps), deps, folder, files, pass, sql, account, database };
}

const DAY = 86_400_000;

test('writes a backup that only its owner can read and that an empty home can import', async () => {
  const { backups, sql, account } = await fixture();
  await sql("INSERT INTO settings (account_id, key, value) VALUES ($1, 'k', '{\"a\": 1}')", [
    account,
  ]);
  const made = await backups.service.make();
  expect(statSync(made.file).mode & 0o777).toBe(0o600);
  expect(made).toMatchObject({ made_at: '2026-11-16T12:00:00.000Z', removed: [] });

  const other = await store();
  const lease = await takeLease(other.database.kysely, other.account, randomUUID());
  if (lease === null) throw new Error('free');
  const { tables } = await importArchive(
    {
      ...{ database: other.database, jobs: other.jobs, lease, schemaVersion: 1 },
      onRestored: async () => {},
    },
    createReadStream(made.file),
  );
  expect(tables.settings).toBe(1);
  expect(await other.sql('SELECT value FROM settings')).toEqual([{ value: { a: 1 } }]);
  expect(made.rows).toBe(Object.values(tables).reduce((sum, rows) => sum + rows, 0));
});

test('keeps the newest backups, deletes older ones, and touches no other file', async () => {
  const { backups, folder, files, pass } = await fixture({ keep: 2 });
  await mkdir(folder, { recursive: true });
  for (const name of ['relay-2026-01-01.tar.gz', 'relay-backup-notes.tar.gz', 'photo.jpg'])
    await writeFile(join(folder, name), 'mine');
  for (let day = 0; day < 4; day++, pass(DAY)) await backups.service.make();
  expect(files()).toEqual([
    'photo.jpg',
    'relay-2026-01-01.tar.gz',
    'relay-backup-2026-11-18T12-00-00Z.tar.gz',
    'relay-backup-2026-11-19T12-00-00Z.tar.gz',
    'relay-backup-notes.tar.gz',
  ]);
});

test('keeps several backups of the same second apart', async () => {
  const { backups, files } = await fixture({ keep: 2 });
  const made = await Promise.all([1, 2, 3].map(() => backups.service.make()));
  expect(new Set(made.map(({ file }) => file)).size).toBe(3);
  expect(files()).toHaveLength(2);
  expect((await backups.service.list()).backups[0]?.file).toBe(made[2]?.file);
});

test('removes what a killed daemon left half-written', async () => {
  const { backups, folder, files } = await fixture();
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'relay-backup-2026-11-15T03-40-00Z.tar.gz.part'), 'half');
  await backups.service.make();
  expect(files()).toEqual(['relay-backup-2026-11-16T12-00-00Z.tar.gz']);
});

test('backs up at the start when the last backup is too old, and not again before its hour', async () => {
  const { backups, files } = await fixture({ every: 'day' });
  const first = await backups.start();
  await first();
  expect(files()).toHaveLength(1);
  expect(await backups.service.list()).toMatchObject({
    last_at: '2026-11-16T12:00:00.000Z',
    next_at: '2026-11-17T03:40:00.000Z',
    trouble: null,
  });
});

test('creates the backup that has become due by a scheduled job', async () => {
  const { backups, deps, files, pass, database } = await fixture({ every: 'day' });
  await (await backups.start())();
  pass(DAY);
  await database.kysely
    .transaction()
    .execute((tx) => deps.jobs.enqueue(tx, 'backup', [{ key: 'k', data: { task: 'look' } }]));
  deps.jobs.wake('backup');
  await eventually(() => files().length === 2);
});

test('creates no scheduled backup when turned off', async () => {
  const { backups, folder } = await fixture();
  await (await backups.start())();
  expect(() => statSync(folder)).toThrow();
  expect(await backups.service.list()).toMatchObject({ every: 'off', next_at: null, backups: [] });
});

test('reports a failure with the next step until a backup succeeds, and leaves no partial file', async () => {
  const { backups, folder, files } = await fixture({ every: 'day' });
  await mkdir(join(folder, '..'), { recursive: true });
  await writeFile(folder, 'a file in the place of the folder');
  await (await backups.start())();
  const trouble = `The backup to ${folder} failed: it is not a folder. Earlier backups are unchanged. Fix the cause, or set another "backup.folder" in relay.config.json and restart Relay.`;
  expect(await backups.status()).toEqual({ every: 'day', last_at: null, trouble });
  await expect(backups.service.make()).rejects.toMatchObject({ code: 'backup_failed' });
  await rm(folder);
  await backups.service.make();
  expect(await backups.status()).toMatchObject({ trouble: null });
  expect(files()).toHaveLength(1);
});

test.each([
  ['cut off', (whole: Buffer) => [whole.subarray(0, whole.length - 20)]],
  ['no archive', () => [Buffer.from('something else')]],
])('rejects a backup that reads back as %s, and keeps older ones', async (_what, damage) => {
  let damaged = false;
  const { backups, deps, files, pass } = await fixture({ keep: 1 });
  await backups.service.make();
  const before = files();
  const whole = await buffer(deps.archive());
  pass(DAY);
  const { archive } = deps;
  Object.assign(deps, {
    archive: () => (damaged ? Readable.from(damage(whole)) : archive()),
  });
  damaged = true;
  await expect(backups.service.make()).rejects.toMatchObject({
    code: 'backup_failed',
    message: expect.stringContaining('the written backup could not be verified'),
  });
  expect(files()).toEqual(before);
});
