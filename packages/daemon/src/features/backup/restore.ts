// Runs the restore of an archive in a home, with a note there from its beginning to its end: after a kill, the next start
// finds the note and says what became of the restore.
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ArchiveImportReport } from '@relay/contract/api/backups';
import { RelayError } from '@relay/contract/errors';
import type { ConnectionTarget, Db } from '../../platform/db/database.ts';
import {
  endRestoreNote,
  noteRestoreBegan,
  readRestoreNote,
} from '../../platform/home/state-files.ts';
import { decryptArchive } from './encryption.ts';
import {
  dropScratchDatabase,
  type ImportOptions,
  importArchive,
  isRestoreCommitted,
} from './import.ts';

interface RestoreDeps extends Omit<ImportOptions, 'id'> {
  readonly home: string;
  readonly now: () => Date;
  /** Those to try if the archive is encrypted. */
  readonly passphrases: readonly string[];
}

export async function restoreArchive(
  deps: RestoreDeps,
  file: Readable,
): Promise<ArchiveImportReport> {
  const archive = await decryptArchive(file, deps.passphrases);
  const id = randomUUID();
  await noteRestoreBegan(deps.home, id, deps.now());
  try {
    const report = await importArchive({ ...deps, id }, archive);
    await endRestoreNote(deps.home, true);
    return report;
  } catch (error) {
    const isUnclear = error instanceof RelayError && error.code === 'restore_unclear';
    if (!isUnclear) await endRestoreNote(deps.home, false);
    throw error;
  }
}

/**
 * Called at each start, before anything reads the ledger. Returns what became of a restore that was under way when Relay
 * was killed; null if there was none.
 */
export async function settleRestore(
  home: string,
  db: Db,
  owner: ConnectionTarget,
): Promise<string | null> {
  const note = await readRestoreNote(home);
  if (note === null) return null;
  const isCommitted = await isRestoreCommitted(db, note.id);
  // It holds chats, and nothing else removes it. A role that may not create it may not drop it either.
  await dropScratchDatabase(owner).catch(() => {});
  await endRestoreNote(home, isCommitted);
  const when = `The restore of ${note.began_at.slice(0, 16).replace('T', ' ')} UTC`;
  return isCommitted
    ? `${when} was completed before Relay was stopped. Sending is on hold: check the queued messages, then run \`relay release\`.`
    : `${when} was interrupted. Nothing was changed: run \`relay import\` again.`;
}
