// Reads and writes the files of a home: a directory only its owner may enter (0700), with files only its owner may read
// (0600). Every write is atomic.
import { randomBytes } from 'node:crypto';
import { access, chmod, constants, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RelayError } from '@relay/contract/errors';

/** Refuses a home that this process cannot use, or could not create. Changes nothing. */
export async function checkHome(home: string): Promise<void> {
  try {
    const found = await stat(home).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (found === null) return await access(await existingParent(home), MAY_WRITE);
    if (!found.isDirectory()) throw unusable(home, 'it is not a directory.');
    if (process.getuid !== undefined && found.uid !== process.getuid()) {
      throw new RelayError(
        'home_unusable',
        { home, reason: `it belongs to another user (uid ${found.uid}).` },
        {
          action: `Run \`chown -R $(id -u) "${home}"\` as root, or choose another home with RELAY_HOME.`,
        },
      );
    }
    await access(home, MAY_WRITE | constants.R_OK);
  } catch (error) {
    if (error instanceof RelayError) throw error;
    throw unusable(home, reasonOf(error), error);
  }
}

const MAY_WRITE = constants.W_OK | constants.X_OK;

async function existingParent(path: string): Promise<string> {
  for (let at = dirname(path); ; at = dirname(at)) {
    const found = await stat(at).catch(() => null);
    if (found !== null || at === dirname(at)) return at;
  }
}

/** Creates the home if needed and corrects open permissions. Returns one sentence for each correction. */
export async function prepareHome(home: string): Promise<string[]> {
  await checkHome(home);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    if (process.getuid === undefined) return [];
    return await closeToOthers(home, (await stat(home)).mode);
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
export async function syncDirectory(path: string): Promise<void> {
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
