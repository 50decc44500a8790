// The key in a file that only its owner may read, outside the home: who copies the home has no key.
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { RelayError } from '@relay/core/errors';
import { writePrivate } from '../files.ts';

/** Null when there is no such file. */
export async function readKeyFile(file: string): Promise<string | null> {
  try {
    const key = (await readFile(file, 'utf8')).trim();
    // A mounted secret may not be ours to change; whoever mounted it chose its mode.
    await chmod(file, 0o600).catch(() => {});
    return key;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new RelayError('vault_key_unreadable', { file }, { cause });
  }
}

export async function writeKeyFile(file: string, key: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writePrivate(file, `${key}\n`);
  } catch (cause) {
    throw new RelayError('vault_key_unwritable', { file }, { cause });
  }
}

export function refuseInside(home: string, file: string): void {
  const path = relative(resolve(home), resolve(file));
  if (path.startsWith('..') || isAbsolute(path)) return;
  throw new RelayError('vault_key_inside', { file });
}
