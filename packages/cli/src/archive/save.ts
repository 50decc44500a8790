// Saves an archive of everything where the owner wants it, readable by them alone. Invariant: it appears under its name
// only when it is whole and on the disk, and never in place of another unless asked.
import { createWriteStream, existsSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { RelayError } from '@relay/core/errors';
import { getExport } from '../api.ts';
import { findDaemon } from '../daemon.ts';

interface Saving {
  readonly home: string;
  readonly file: string;
  readonly force: boolean;
  tell(bytes: number): void;
}

/** Returns its size. */
export async function saveArchive({ home, file, force, tell }: Saving): Promise<number> {
  if (findDaemon(home).state === 'none') throw new RelayError('daemon_not_running');
  if (existsSync(file) && !force) throw taken(file);
  const draft = `${file}.${process.pid}.part`;
  try {
    const size = await download(home, draft, tell);
    if (force) await rename(draft, file);
    else await link(draft, file);
    return size;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw taken(file);
    if (code === 'ENOENT' || code === 'EACCES') {
      throw new RelayError('usage', { what: `${file} cannot be written (${code}).` });
    }
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function download(
  home: string,
  draft: string,
  tell: (bytes: number) => void,
): Promise<number> {
  const archive = await getExport(home);
  let size = 0;
  let shown = 0;
  archive.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (Date.now() - shown < 200) return;
    shown = Date.now();
    tell(size);
  });
  await pipeline(archive, createWriteStream(draft, { mode: 0o600, flags: 'wx' }));
  const written = await open(draft, 'r');
  await written.sync();
  await written.close();
  return size;
}

const taken = (file: string): RelayError =>
  new RelayError('conflict', {
    what: `${file} exists already. Give another name, or replace it with --force.`,
  });
