import { createSecretKey, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { MediaId } from '@relay/contract/ids';
import { silentLog } from '@relay/core/log';
import { testSealer } from '@relay/testing/sealer';
import { freshStore } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { expect, onTestFinished, test } from 'vitest';
import { takeLease } from '../../platform/db/lease.ts';
import { loadMigrations } from '../../platform/db/migrate.ts';
import { aesSealer } from '../../platform/home/vault/sealer.ts';
import { Jobs } from '../../platform/jobs/jobs.ts';
import { exportArchive } from '../backup/export.ts';
import { importArchive } from '../backup/import.ts';
import { MediaStore } from './store.ts';
import { archivedFiles } from './stores.ts';
import { type MediaFixture, openMediaFixture, PHOTO } from './testing/fixture.ts';

const SCHEMA = (await loadMigrations()).at(-1)?.number ?? 0;

async function withPhoto(): Promise<{ desk: MediaFixture; id: string }> {
  const desk = await openMediaFixture();
  await desk.receive({ kind: 'conversation', body: 'hello', media: null });
  await desk.grantBob();
  await desk.start();
  const message = await desk.receive();
  const { id } = await desk.reaches(message, 'stored');
  return { desk, id };
}

const archiveOf = ({ database, deps }: MediaFixture, isWithFiles = true) =>
  buffer(
    exportArchive({
      database,
      jobs: deps.jobs,
      version: 'test',
      schemaVersion: SCHEMA,
      vault: null,
      ...(isWithFiles ? { files: archivedFiles({ of: async () => deps.store }) } : {}),
    }),
  );

/** Another home, with another key. */
async function otherHome() {
  const store = await freshStore(onTestFinished);
  const home = await mkdtemp(join(tmpdir(), 'relay-restored-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const sealer = aesSealer(createSecretKey(Buffer.alloc(32, 9)));
  const files = new MediaStore({ home, account: store.account, sealer });
  const jobs = await Jobs.start(store.database, silentLog);
  onTestFinished(() => jobs.stop(100));
  const lease = await takeLease(store.database.kysely, store.account, randomUUID());
  if (lease === null) throw new Error('a fresh account is free');
  const restore = (archive: Buffer) =>
    importArchive(
      {
        database: store.database,
        jobs,
        lease,
        schemaVersion: SCHEMA,
        keys: { sealer: testSealer, vault: null, findFormerKey: async () => null },
        owner: { connectionString: store.url },
        onRestored: async () => {},
        files: archivedFiles({ of: async () => files }),
      },
      Readable.from([archive]),
    );
  return { ...store, files, restore };
}

test('restores a file into a home with another key, under the name that it has there', async () => {
  verifies('MEDIA-BACKUP');
  const { desk, id } = await withPhoto();
  const other = await otherHome();
  await other.restore(await archiveOf(desk));
  const [row] = await other.sql<{ object: string; state: string }>(
    'SELECT o.object, m.state FROM media m JOIN media_objects o USING (account_id, sha256) WHERE m.id = $1',
    [id],
  );
  expect(row?.state).toBe('stored');
  expect((await buffer((await other.files.open(row?.object ?? '')).stream)).equals(PHOTO)).toBe(
    true,
  );
  const former = await desk.service.find(id as MediaId);
  expect(row?.object).not.toBe(former?.object);
});

test('restores without files from an archive that has none, and says so', async () => {
  verifies('MEDIA-BACKUP');
  const { desk, id } = await withPhoto();
  const other = await otherHome();
  await other.restore(await archiveOf(desk, false));
  const rows = await other.sql('SELECT id, state, reason FROM media');
  expect(rows).toEqual([{ id, state: 'unavailable', reason: 'not_in_archive' }]);
  expect(await other.sql('SELECT 1 FROM media_objects')).toEqual([]);
});

test('makes an archive although a file is damaged, and leaves that file out', async () => {
  verifies('MEDIA-BACKUP');
  const { desk, id } = await withPhoto();
  const folder = join(desk.home, 'media');
  const [file] = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  );
  const path = join(file?.parentPath ?? '', file?.name ?? '');
  const sealed = await readFile(path);
  sealed[100_000] = (sealed[100_000] ?? 0) ^ 1;
  await writeFile(path, sealed);
  const other = await otherHome();
  await other.restore(await archiveOf(desk));
  expect(await other.sql('SELECT id, state FROM media')).toEqual([{ id, state: 'unavailable' }]);
});

test('refuses an archive whose file was changed', async () => {
  const { desk } = await withPhoto();
  const tar = gunzipSync(await archiveOf(desk));
  const at = tar.indexOf('pixelspixels');
  tar.write('PIXELS', at);
  const other = await otherHome();
  await expect(other.restore(gzipSync(tar))).rejects.toMatchObject({ code: 'archive_invalid' });
  expect(await other.sql('SELECT 1 FROM media')).toEqual([]);
});
