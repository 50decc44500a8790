// When everything was last saved to an archive. Kept beside the home's other small files, so that it outlives a restart
// and is not itself part of the archive.

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivate } from './files.ts';

const lastExportPath = (home: string): string => join(home, 'last-export');

export async function readLastExport(home: string): Promise<string | null> {
  const text = await readFile(lastExportPath(home), 'utf8').catch(() => '');
  return z.iso.datetime().safeParse(text.trim()).data ?? null;
}

export const noteLastExport = (home: string, at: Date): Promise<void> =>
  writePrivate(lastExportPath(home), `${at.toISOString()}\n`);

// When the last backup was made, and why the last one by the clock was not. Kept beside the home's other small files, so
// that it outlives a restart and is not itself part of an archive.

const lastBackupSchema = z.object({
  last_at: z.iso.datetime().nullable(),
  failed: z.object({ at: z.iso.datetime(), sentence: z.string() }).nullable(),
});

type LastBackup = z.infer<typeof lastBackupSchema>;

const lastBackupPath = (home: string): string => join(home, 'last-backup.json');

/** What cannot be read is as if there had been none: then one is made. */
export async function readLastBackup(home: string): Promise<LastBackup> {
  try {
    return lastBackupSchema.parse(JSON.parse(await readFile(lastBackupPath(home), 'utf8')));
  } catch {
    return { last_at: null, failed: null };
  }
}

export const noteLastBackup = (home: string, memory: LastBackup): Promise<void> =>
  writePrivate(lastBackupPath(home), `${JSON.stringify(memory)}\n`);

// `<home>/ledger-head.json`: the newest head of the ledger that this home has seen, with its MAC. It lies outside the
// database, so that a ledger that was set back to an earlier head is found after a restart too. That the file is there
// says that this home has signed its ledger before.

const headSchema = z.object({ seq: z.int(), hash: z.hex(), mac: z.hex() });

type KeptLedgerHead = z.infer<typeof headSchema>;

const ledgerHeadPath = (home: string): string => join(home, 'ledger-head.json');

/** Null only when there is no such file. */
export async function readLedgerHead(home: string): Promise<KeptLedgerHead | 'unreadable' | null> {
  try {
    return headSchema.parse(JSON.parse(await readFile(ledgerHeadPath(home), 'utf8')));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : 'unreadable';
  }
}

export const writeLedgerHead = (home: string, head: KeptLedgerHead): Promise<void> =>
  writePrivate(ledgerHeadPath(home), `${JSON.stringify(head)}\n`);

// The owner's token: made at the first start, kept in `<home>/token`, shown by `relay token`.
// 256 random bits; the prefix lets a secret scanner and our own log recognise it.

export async function loadOwnerToken(home: string): Promise<string> {
  const kept = await readFile(join(home, 'token'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return /^relay_[\w-]{43}$/.test(kept.trim()) ? kept.trim() : replaceOwnerToken(home);
}

/** The old token is worth nothing as soon as the caller takes the returned one. */
export async function replaceOwnerToken(home: string): Promise<string> {
  const token = `relay_${randomBytes(32).toString('base64url')}`;
  await writePrivate(join(home, 'token'), `${token}\n`);
  return token;
}
