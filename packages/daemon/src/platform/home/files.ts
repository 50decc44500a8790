// Reads and writes the files of a home: a directory only its owner may enter (0700), with files only its owner may read
// (0600). Every write is atomic.
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RelayError } from '@relay/contract/errors';

/** Creates the home if needed and corrects open permissions. Returns one sentence for each correction. */
export async function prepareHome(home: string): Promise<string[]> {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    const found = await stat(home);
    if (!found.isDirectory()) throw unusable(home, 'it is not a directory.');
    if (process.getuid === undefined) return [];
    if (found.uid !== process.getuid()) {
      throw unusable(home, `it belongs to another user (uid ${found.uid}).`);
    }
    return await closeToOthers(home, found.mode);
  } catch (error) {
    if (error instanceof RelayError) throw error;
    throw unusable(home, reasonOf(error), error);
  }
}

async function closeToOthers(home: string, mode: number): Promise<string[]> {
  const repairs: string[] = [];
  if ((mode & 0o777) !== 0o700) {
    await chmod(home, 0o700);
    repairs.push('Other users could open the home; its permissions are now 0700.');
  }
  for (const entry of await readdir(home, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(home, entry.name);
    // A running daemon may be replacing its files at this moment.
    const found = await stat(path).catch(() => null);
    if (found === null || (found.mode & 0o077) === 0) continue;
    await chmod(path, 0o600);
    repairs.push(`Other users could read ${entry.name}; its permissions are now 0600.`);
  }
  return repairs;
}

/** Replaces the file in one step, durably: a reader sees the old text or the new one, never a part. */
export async function writePrivate(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await rename(draft, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** A new file name survives a power cut only once its directory is synced too. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied.',
  EPERM: 'permission is denied.',
  EROFS: 'the file system is read-only.',
  ENOSPC: 'the disk is full.',
  ENOTDIR: 'it is not a directory.',
  EEXIST: 'it is not a directory.',
};

function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  return REASONS[code] ?? `the system reports ${code}.`;
}

const unusable = (home: string, reason: string, cause?: unknown): RelayError =>
  new RelayError('home_unusable', { home, reason }, { cause });
