// When the last backup was made, and why the last one by the clock was not. Kept beside the home's other small files, so
// that it outlives a restart and is not itself part of an archive.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivate } from './files.ts';

const memorySchema = z.object({
  last_at: z.iso.datetime().nullable(),
  failed: z.object({ at: z.iso.datetime(), sentence: z.string() }).nullable(),
});

type Memory = z.infer<typeof memorySchema>;

const fileOf = (home: string): string => join(home, 'last-backup.json');

/** What cannot be read is as if there had been none: then one is made. */
export async function readLastBackup(home: string): Promise<Memory> {
  try {
    return memorySchema.parse(JSON.parse(await readFile(fileOf(home), 'utf8')));
  } catch {
    return { last_at: null, failed: null };
  }
}

export const noteLastBackup = (home: string, memory: Memory): Promise<void> =>
  writePrivate(fileOf(home), `${JSON.stringify(memory)}\n`);
