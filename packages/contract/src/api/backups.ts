// Backups, as the API has them: what lies in the folder, and how it goes on.
import { z } from 'zod';
import { backupSettingsSchema } from '../settings.ts';

const moment = z.iso.datetime();

const backupSchema = z.object({
  file: z.string(),
  bytes: z.int(),
  made_at: moment,
});
export type Backup = z.infer<typeof backupSchema>;

/** How backups stand, in short. */
export const backupStatusSchema = z.object({
  every: backupSettingsSchema.shape.every.unwrap(),
  /** When the last was made here, by the clock or by hand; null: never. */
  last_at: moment.nullable(),
  /** What is wrong, with the next step; null when nothing is. */
  trouble: z.string().nullable(),
});
export type BackupStatus = z.infer<typeof backupStatusSchema>;

export const backupsSchema = backupStatusSchema.extend({
  folder: z.string(),
  /** How many stay. */
  keep: z.int(),
  /** Null: none by itself. */
  next_at: moment.nullable(),
  /** The newest first. */
  backups: z.array(backupSchema),
});
export type Backups = z.infer<typeof backupsSchema>;

export const madeBackupSchema = backupSchema.extend({
  /** Rows that it holds, counted by reading it back. */
  rows: z.int(),
  /** Older ones that went. */
  removed: z.array(z.string()),
  ms: z.int(),
});
export type MadeBackup = z.infer<typeof madeBackupSchema>;

// What an import answers once all of an archive is in.

export const archiveImportReportSchema = z.object({
  /** Rows brought in, by table. */
  tables: z.record(z.string(), z.int()),
});

export type ArchiveImportReport = z.infer<typeof archiveImportReportSchema>;

// Backups as the owner's routes and commands call them. Every refusal is a RelayError from the one table.

export interface BackupService {
  list(): Promise<Backups>;
  /** One now, in the folder that is set. */
  make(): Promise<MadeBackup>;
}
