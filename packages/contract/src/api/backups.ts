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
  /** Whether new backups are encrypted. */
  encrypted: z.boolean(),
  /** The copy off this machine; null if none is set up. */
  copy: z
    .object({
      /** A folder, or the name of a program. */
      to: z.string(),
      /** When a backup was last copied; null if never. */
      last_at: moment.nullable(),
    })
    .nullable(),
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
  encrypted: z.boolean(),
  /** The copy off this machine, and why it failed; null if none is set up. */
  copy: z.object({ to: z.string(), failed: z.string().nullable() }).nullable(),
  ms: z.int(),
});
export type MadeBackup = z.infer<typeof madeBackupSchema>;

/** Null turns encryption off. */
export const backupPassphraseSchema = z.strictObject({
  passphrase: z.string().min(12).max(1_000).nullable(),
});

export const backupEncryptionSchema = z.object({ encrypted: z.boolean() });

// The response to an import of a complete archive.

export const archiveImportReportSchema = z.object({
  /** Imported rows, by table. */
  tables: z.record(z.string(), z.int()),
  /** When the archive was made. */
  made_at: moment,
  /** The schema of the archive if it was older than this version's, and so was upgraded; otherwise null. */
  upgraded_from: z.int().nullable(),
  /** Clients whose secret is not accepted until the owner resumes or rotates its token. */
  suspended_tokens: z.array(z.string()),
  /** Webhooks that were on, and are off until the owner turns them on. */
  disabled_webhooks: z.array(z.string()),
  /** Webhooks that need a new secret, because the key of their home was not found. */
  webhooks_without_secret: z.array(z.string()),
});

export type ArchiveImportReport = z.infer<typeof archiveImportReportSchema>;

// The backup service, as the owner's routes and commands call it. Every refusal is a RelayError.

export interface BackupService {
  list(): Promise<Backups>;
  /** Makes a backup now, in the configured folder, and copies it off this machine if that is set up. */
  make(): Promise<MadeBackup>;
  /** Encrypts backups with this passphrase from now on. */
  setPassphrase(passphrase: string | null): Promise<void>;
}

// The result of `relay backup drill`.

export interface DrillReport {
  readonly ok: boolean;
  readonly file: string;
  readonly bytes: number;
  readonly made_at: string;
  readonly encrypted: boolean;
  /** Restored rows, by table. */
  readonly tables: Readonly<Record<string, number>>;
  /** The schema of the backup if it was upgraded; otherwise null. */
  readonly upgraded_from: number | null;
  readonly checks: readonly {
    readonly name: string;
    readonly ok: boolean;
    readonly found: string;
  }[];
  readonly ms: number;
}
