// Changes a few settings of `<home>/config.json` and leaves the rest of what the owner wrote as it is.
// A file that is not valid is never overwritten.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RelayError } from '@relay/core/errors';
import { type Settings, settingsFault } from '@relay/core/settings';
import { writePrivate } from './files.ts';

export async function saveSettings(home: string, changed: Partial<Settings>): Promise<void> {
  const file = join(home, 'config.json');
  const settings = { ...(await readWritten(file)), ...changed };
  const fault = settingsFault(settings);
  if (fault !== null) throw invalid(file, fault);
  await writePrivate(file, `${JSON.stringify(settings, null, 2)}\n`);
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
