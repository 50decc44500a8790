import { randomUUID } from 'node:crypto';
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { BackupSettings } from '@relay/contract/settings';
import { DEFAULT_SETTINGS } from '@relay/contract/settings-catalog';
import { silentLog } from '@relay/core/log';
import { removeFolder } from '@relay/testing/remove-folder';
import { testSealer } from '@relay/testing/sealer';
import { eventually, freshStore } from '@relay/testing/store';
import { Decrypter } from 'age-encryption';
import { expect, onTestFinished, test } from 'vitest';
import { takeLease } from '../../platform/db/lease.ts';
import { Jobs } from '../../platform/jobs/jobs.ts';
import { openArchive } from './archive.ts';
import { decryptArchive } from './encryption.ts';
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
  let memory: BackupRecord = { last_at: null, failed: null, copied: null, copy_failed: null };
  let now = new Date('2026-11-16T12:00:00Z');
  let passphrase: string | null = null;
  const deps: BackupDeps = {
    jobs,
    log: silentLog,
    now: () => now,
    settings: { ...DEFAULT_SETTINGS.backup, keep: 3, ...settings },
    defaultFolder: folder,
    zone: 'UTC',
    archive: () =>
      exportArchive({ database, jobs, version: 'test', schemaVersion: 1, vault: null }),
    readPassphrase: async () => passphrase,
    savePassphrase: async (given) => {
      passphrase = given;
    },
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
  await sql("INSERT INTO erased_messages (account_id, mark) VALUES ($1, 'x')", [account]);
  const made = await backups.service.make();
  expect(statSync(made.file).mode & 0o777).toBe(0o600);
  expect(made).toMatchObject({ made_at: '2026-11-16T12:00:00.000Z', removed: [] });

  const other = await store();
  const lease = await takeLease(other.database.kysely, other.account, randomUUID());
  if (lease === null) throw new Error('free');
  const { tables } = await importArchive(
    {
      ...{ database: other.database, jobs: other.jobs, lease, schemaVersion: 1 },
      keys: { sealer: testSealer, vault: null, findFormerKey: async () => null },
      owner: { connectionString: other.url },
      onRestored: async () => {},
    },
    createReadStream(made.file),
  );
  expect(tables.erased_messages).toBe(1);
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
  expect(await backups.status()).toMatchObject({ every: 'day', last_at: null, trouble });
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
  const whole = await buffer(deps.archive({ isEncrypted: false }));
  pass(DAY);
  const { archive } = deps;
  Object.assign(deps, {
    archive: () => (damaged ? Readable.from(damage(whole)) : archive({ isEncrypted: false })),
  });
  damaged = true;
  await expect(backups.service.make()).rejects.toMatchObject({
    code: 'backup_failed',
    message: expect.stringContaining('the written backup could not be verified'),
  });
  expect(files()).toEqual(before);
});

test('encrypts backups so that only the passphrase opens them, also with another age', async () => {
  const { backups, pass, files } = await fixture();
  const plain = await backups.service.make();
  expect(plain.encrypted).toBe(false);
  await backups.service.setPassphrase('four random words here');
  pass(DAY);
  const made = await backups.service.make();
  expect(made).toMatchObject({ encrypted: true, rows: plain.rows });
  expect(files().at(-1)).toBe('relay-backup-2026-11-17T12-00-00Z.tar.gz.age');
  expect((await backups.service.list()).backups).toHaveLength(2);

  const bytes = await readFile(made.file);
  const open = (...passphrases: string[]) =>
    decryptArchive(Readable.from([bytes]), passphrases).then(buffer);
  const archive = await open('not this one', 'four random words here');
  expect(archive.subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
  await expect(open()).rejects.toMatchObject({ code: 'archive_passphrase_needed' });
  await expect(open('another passphrase')).rejects.toMatchObject({
    code: 'archive_passphrase_wrong',
  });
  const age = new Decrypter();
  age.addPassphrase('four random words here');
  expect(Buffer.from(await age.decrypt(bytes))).toEqual(archive);

  // A copy that is cut off is never restored as if it were complete.
  const cut = await decryptArchive(Readable.from([bytes.subarray(0, bytes.length - 30)]), [
    'four random words here',
  ]);
  await expect(
    openArchive(cut).then((opened) => opened.readParts(async () => {})),
  ).rejects.toMatchObject({ code: 'archive_invalid' });
});

test('copies each backup to another folder, keeps as many there, and never creates that folder', async () => {
  const into = join(await mkdtemp(join(tmpdir(), 'relay copies ')), 'mount');
  onTestFinished(() => removeFolder(join(into, '..')));
  const { backups, pass, folder } = await fixture({ keep: 2, copy_to: into });
  const failed = await backups.service.make();
  expect(failed.copy).toEqual({
    to: into,
    failed: `The backup was not copied to ${into}: the folder does not exist, perhaps because the disk is not mounted. It is in ${folder}; Relay tries again every 10 minutes.`,
  });
  expect(await backups.status()).toMatchObject({
    trouble: failed.copy?.failed,
    copy: { to: into, last_at: null },
  });
  await mkdir(into);
  // The next look copies it.
  await (await backups.start())();
  expect(readdirSync(into)).toEqual(readdirSync(folder));
  expect(await backups.status()).toMatchObject({
    trouble: null,
    copy: { to: into, last_at: '2026-11-16T12:00:00.000Z' },
  });
  for (let day = 0; day < 3; day++) {
    pass(DAY);
    expect((await backups.service.make()).copy).toEqual({ to: into, failed: null });
  }
  expect(readdirSync(into)).toEqual(readdirSync(folder));
  expect(readdirSync(into)).toHaveLength(2);

  // The disk was unmounted: below it is an empty folder.
  await rm(into, { recursive: true });
  await mkdir(into);
  pass(DAY);
  const { copy } = await backups.service.make();
  expect(copy?.failed).toContain('the folder is empty, and the last copy was in it');
  expect(readdirSync(into)).toEqual([]);
});

test('gives each backup to a program on its standard input', async () => {
  const into = await mkdtemp(join(tmpdir(), 'relay copies '));
  onTestFinished(() => removeFolder(into));
  const script = 'cat > "$1/$0"';
  const { backups, deps } = await fixture({ copy_command: ['sh', '-c', script, '{name}', into] });
  const made = await backups.service.make();
  expect(made.copy).toEqual({ to: 'sh', failed: null });
  const [name = ''] = readdirSync(into);
  expect(await readFile(join(into, name))).toEqual(await readFile(made.file));

  const fails = ['sh', '-c', 'echo no route to host >&2; exit 3'];
  for (const [command, why] of [
    [fails, 'it ended with code 3 ("no route to host")'],
    [['relay-no-such-program'], 'the program was not found'],
  ] as const) {
    deps.settings.copy_command = [...command];
    expect((await backups.service.make()).copy?.failed).toContain(why);
  }
});

test('reports when the last verified backup is too old', async () => {
  const { backups, pass } = await fixture({ every: 'day' });
  await backups.service.make();
  pass(2 * DAY);
  expect(await backups.status()).toMatchObject({ trouble: null });
  pass(DAY);
  expect(await backups.status()).toMatchObject({
    trouble:
      'The last verified backup is from 2026-11-16, and one is due every day. Make one with `relay backup`.',
  });
});
