// A program's settings file on disk. Invariant: it is replaced whole or not at all, what was there before
// lies beside it, and since a secret is in both, only their owner can read them.
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { RelayError } from '@relay/core/errors';

/** Null when there is none. */
export function readSettingsFile(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unusable(file, error);
  }
}

/** The name of the copy of what was there before, if anything was. */
export function replaceSettingsFile(
  file: string,
  before: string | null,
  after: string,
): string | null {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Somebody's link into a folder of settings stays a link.
    const target = before === null ? file : realpathSync(file);
    const copy = before === null ? null : `${target}.before-relay`;
    if (copy !== null && before !== null) replace(copy, before);
    replace(target, after);
    return copy;
  } catch (error) {
    throw unusable(file, error);
  }
}

function replace(file: string, text: string): void {
  const draft = `${file}.new-${process.pid}`;
  rmSync(draft, { force: true });
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

const unusable = (file: string, cause: unknown) => {
  const { code } = cause as NodeJS.ErrnoException;
  return new RelayError('settings_unwritable', { file, code: code ?? 'unknown' }, { cause });
};
