// When everything was last saved to an archive. Kept beside the home's other small files, so that it outlives a restart
// and is not itself part of the archive.

import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AccountId } from '@relay/contract/ids';
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
  /** The last copy off this machine. */
  copied: z.object({ at: z.iso.datetime(), name: z.string() }).nullable().default(null),
  copy_failed: z.object({ at: z.iso.datetime(), sentence: z.string() }).nullable().default(null),
});

type LastBackup = z.infer<typeof lastBackupSchema>;

const lastBackupPath = (home: string): string => join(home, 'last-backup.json');

/** What cannot be read is as if there had been none: then one is made. */
export async function readLastBackup(home: string): Promise<LastBackup> {
  try {
    return lastBackupSchema.parse(JSON.parse(await readFile(lastBackupPath(home), 'utf8')));
  } catch {
    return { last_at: null, failed: null, copied: null, copy_failed: null };
  }
}

export const noteLastBackup = (home: string, memory: LastBackup): Promise<void> =>
  writePrivate(lastBackupPath(home), `${JSON.stringify(memory)}\n`);

// Why the last start failed, for `relay doctor`: some causes show only during a start. A start that succeeds removes it.

const startFailureSchema = z.object({
  code: z.string(),
  sentence: z.string(),
  action: z.string().nullable(),
});

type StartFailure = z.infer<typeof startFailureSchema>;

const startFailurePath = (home: string): string => join(home, 'last-start.json');

export async function readStartFailure(home: string): Promise<StartFailure | null> {
  try {
    return startFailureSchema.parse(JSON.parse(await readFile(startFailurePath(home), 'utf8')));
  } catch {
    return null;
  }
}

export const noteStartFailure = (home: string, failure: StartFailure): Promise<void> =>
  writePrivate(startFailurePath(home), `${JSON.stringify(failure)}\n`);

export const forgetStartFailure = (home: string): Promise<void> =>
  rm(startFailurePath(home), { force: true });

// `<home>/restore.json`: exists while an archive is being restored, and after Relay was killed meanwhile. The database
// holds the same id if and only if the restore was committed.

const restoreNoteSchema = z.object({ id: z.guid(), began_at: z.iso.datetime() });

const restoreNotePath = (home: string): string => join(home, 'restore.json');

export const noteRestoreBegan = (home: string, id: string, at: Date): Promise<void> =>
  writePrivate(restoreNotePath(home), `${JSON.stringify({ id, began_at: at.toISOString() })}\n`);

/** Null if no restore was under way. */
export async function readRestoreNote(
  home: string,
): Promise<z.infer<typeof restoreNoteSchema> | null> {
  const text = await readFile(restoreNotePath(home), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return restoreNoteSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * The restore has ended. If the ledger was replaced by it, the head that this home knows is of the former one: the next
 * start signs and records the new one.
 */
export async function endRestoreNote(home: string, isReplaced: boolean): Promise<void> {
  if (isReplaced) {
    const heads = (await readdir(home)).filter((name) => LEDGER_HEAD.test(name));
    for (const name of heads) await rm(join(home, name), { force: true });
  }
  await rm(restoreNotePath(home), { force: true });
}

// `<home>/ledger-head.json`, and `ledger-head-<account>.json` for each account but the first: the newest head of its
// ledger that this home has seen, with its MAC. It lies outside the database, so that a ledger that was set back to an
// earlier head is found after a restart too. That the file is there says that this home has signed the ledger before.

const headSchema = z.object({ seq: z.int(), hash: z.hex(), mac: z.hex() });

type KeptLedgerHead = z.infer<typeof headSchema>;

const LEDGER_HEAD = /^ledger-head(-\d+)?\.json$/;

const ledgerHeadPath = (home: string, account: AccountId): string =>
  join(home, account === 1 ? 'ledger-head.json' : `ledger-head-${account}.json`);

/** Null only when there is no such file. */
export async function readLedgerHead(
  home: string,
  account: AccountId,
): Promise<KeptLedgerHead | 'unreadable' | null> {
  try {
    return headSchema.parse(JSON.parse(await readFile(ledgerHeadPath(home, account), 'utf8')));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : 'unreadable';
  }
}

export const writeLedgerHead = (
  home: string,
  account: AccountId,
  head: KeptLedgerHead,
): Promise<void> => writePrivate(ledgerHeadPath(home, account), `${JSON.stringify(head)}\n`);

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
