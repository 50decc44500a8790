// Schemas and service of backups: the archives in the backup folder and when the next one is due.
import { z } from 'zod';
import { backupSettingsSchema } from '../settings.ts';

const moment = z.iso.datetime();

const backupSchema = z.object({
  file: z.string(),
  bytes: z.int(),
  made_at: moment,
});
export type Backup = z.infer<typeof backupSchema>;

/** A short summary of the state of backups. */
export const backupStatusSchema = z.object({
  every: backupSettingsSchema.shape.every.unwrap(),
  /** When the last backup was made here, scheduled or by hand; null if never. */
  last_at: moment.nullable(),
  /** The problem and the next step; null if there is none. */
  trouble: z.string().nullable(),
});
export type BackupStatus = z.infer<typeof backupStatusSchema>;

export const backupsSchema = backupStatusSchema.extend({
  folder: z.string(),
  /** How many backups are kept. */
  keep: z.int(),
  /** Null if no backup is scheduled. */
  next_at: moment.nullable(),
  /** Newest first. */
  backups: z.array(backupSchema),
});
export type Backups = z.infer<typeof backupsSchema>;

export const madeBackupSchema = backupSchema.extend({
  /** Rows in the archive, counted by reading it back. */
  rows: z.int(),
  /** Older archives that were deleted. */
  removed: z.array(z.string()),
  ms: z.int(),
});
export type MadeBackup = z.infer<typeof madeBackupSchema>;

// The response to an import of a complete archive.

export const archiveImportReportSchema = z.object({
  /** Imported rows, by table. */
  tables: z.record(z.string(), z.int()),
});

export type ArchiveImportReport = z.infer<typeof archiveImportReportSchema>;

// The backup service, as the owner's routes and commands call it. Every refusal is a RelayError.

export interface BackupService {
  list(): Promise<Backups>;
  /** Makes a backup now, in the configured folder. */
  make(): Promise<MadeBackup>;
}
