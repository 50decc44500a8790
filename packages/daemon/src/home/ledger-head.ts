// `<home>/ledger-head.json`: the newest head of the ledger that this home has seen, with its MAC. It lies outside the
// database, so that a ledger that was set back to an earlier head is found after a restart too. That the file is there
// says that this home has signed its ledger before.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivate } from './files.ts';

const headSchema = z.object({ seq: z.int(), hash: z.hex(), mac: z.hex() });

export type KeptHead = z.infer<typeof headSchema>;

const fileOf = (home: string): string => join(home, 'ledger-head.json');

/** Null only when there is no such file. */
export async function readLedgerHead(home: string): Promise<KeptHead | 'unreadable' | null> {
  try {
    return headSchema.parse(JSON.parse(await readFile(fileOf(home), 'utf8')));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : 'unreadable';
  }
}

export const keepLedgerHead = (home: string, head: KeptHead): Promise<void> =>
  writePrivate(fileOf(home), `${JSON.stringify(head)}\n`);
