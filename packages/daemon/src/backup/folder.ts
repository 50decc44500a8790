// The folder of backups: an archive gets its name only when it is whole, on the disk and read back. Invariant: nothing
// is ever deleted there but what this wrote, known by its name.
import { createReadStream, createWriteStream } from 'node:fs';
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Backup } from '@relay/core/api/backups';
import { readArchive, refuseUnlessWhole } from './read.ts';

const NAME = /^relay-backup-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})Z(?:-\d+)?\.tar\.gz$/;
const DRAFT = /^relay-backup-[\dTZ-]+\.tar\.gz\.part$/;

const nameAt = (at: Date, again: number): string => {
  const second = at.toISOString().slice(0, 19).replaceAll(':', '-');
  return `relay-backup-${second}Z${again === 0 ? '' : `-${again}`}.tar.gz`;
};

/** The newest first. */
export async function backupsIn(folder: string): Promise<Backup[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const [, day, hour, minute, second] = NAME.exec(name) ?? [];
      if (day === undefined) return [];
      const file = join(folder, name);
      const about = await stat(file).catch(() => null);
      if (about === null || !about.isFile()) return [];
      return [{ file, bytes: about.size, made_at: `${day}T${hour}:${minute}:${second}.000Z` }];
    }),
  );
  // Numbers make two of one second differ; a longer name is the later one.
  return found
    .flat()
    .sort(
      (a, b) =>
        b.made_at.localeCompare(a.made_at) ||
        b.file.length - a.file.length ||
        b.file.localeCompare(a.file),
    );
}

export interface Written extends Backup {
  readonly rows: number;
}

export async function writeBackup(folder: string, archive: Readable, at: Date): Promise<Written> {
  const draft = join(folder, `${nameAt(at, 0)}.part`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeDrafts(folder);
    await pipeline(archive, createWriteStream(draft, { mode: 0o600, flags: 'wx' }));
    await sync(draft);
    const rows = await readBack(draft);
    const file = await named(draft, folder, at);
    await sync(folder);
    const { size } = await stat(file);
    const made_at = `${at.toISOString().slice(0, 19)}.000Z`;
    return { file, bytes: size, made_at, rows };
  } catch (error) {
    archive.destroy();
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

/** What is written is a backup only once it can be read. */
async function readBack(file: string): Promise<number> {
  let rows = 0;
  const read = await readArchive(createReadStream(file), async ({ lines }) => {
    rows += lines.length;
  });
  refuseUnlessWhole(read);
  return rows;
}

/** Never in the place of another: two of one second get a number. */
async function named(draft: string, folder: string, at: Date): Promise<string> {
  for (let again = 0; ; again++) {
    const file = join(folder, nameAt(at, again));
    try {
      await link(draft, file);
      await rm(draft);
      return file;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue;
      // Some file systems of sticks and network drives know no second name.
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
      if ((await stat(file).catch(() => null)) !== null) continue;
      await rename(draft, file);
      return file;
    }
  }
}

/** The newest so many stay. Returns what went. */
export async function removeOlder(folder: string, keep: number): Promise<string[]> {
  const old = (await backupsIn(folder)).slice(keep);
  for (const { file } of old) await rm(file, { force: true });
  return old.map(({ file }) => file);
}

/** Of a daemon that was killed meanwhile. Only one writes here at a time. */
async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (DRAFT.test(name)) await rm(join(folder, name), { force: true });
}

async function sync(path: string): Promise<void> {
  // A folder cannot be opened there; its entries are durable with the file.
  if (process.platform === 'win32' && !path.endsWith('.part')) return;
  const handle = await open(path, process.platform === 'win32' ? 'r+' : 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
