// Changes a few settings of `<home>/config.json` and leaves the rest of what the owner wrote as it is.
// A file that is not valid is never overwritten.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RelayError } from '@relay/core/errors';
import { type Settings, settingsFault } from '@relay/core/settings';
import { writePrivate } from './files.ts';

export async function saveSettings(home: string, changed: Partial<Settings>): Promise<void> {
  await writeSettings(home, { ...(await readSettings(home)), ...changed });
}

/** All of them, in the place of what was there. */
export async function writeSettings(home: string, settings: object): Promise<void> {
  const file = fileOf(home);
  refuseFaults(file, settings);
  await writePrivate(file, `${JSON.stringify(settings, null, 2)}\n`);
}

/** As somebody wrote them: valid, without defaults. */
export async function readSettings(home: string): Promise<object> {
  const file = fileOf(home);
  const written = await readWritten(file);
  refuseFaults(file, written);
  return written;
}

export const fileOf = (home: string): string => join(home, 'config.json');

function refuseFaults(file: string, settings: object): void {
  const fault = settingsFault(settings);
  if (fault !== null) throw invalid(file, fault);
}

async function readWritten(file: string): Promise<object> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}';
    throw invalid(file, 'it cannot be read');
  });
  try {
    const written: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof written === 'object' && written !== null && !Array.isArray(written)) return written;
  } catch {
    throw invalid(file, 'it is not JSON');
  }
  throw invalid(file, 'it is not an object');
}

const invalid = (file: string, what: string): RelayError =>
  new RelayError('config_invalid', { file, what });
