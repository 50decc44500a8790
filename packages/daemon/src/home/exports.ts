// When everything was last saved to an archive. Kept beside the home's other small files, so that it outlives a restart
// and is not itself part of the archive.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivate } from './files.ts';

const fileOf = (home: string): string => join(home, 'last-export');

export async function lastExport(home: string): Promise<string | null> {
  const text = await readFile(fileOf(home), 'utf8').catch(() => '');
  return z.iso.datetime().safeParse(text.trim()).data ?? null;
}

export const noteExport = (home: string, at: Date): Promise<void> =>
  writePrivate(fileOf(home), `${at.toISOString()}\n`);
