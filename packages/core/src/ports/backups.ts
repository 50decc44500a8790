// Backups as the owner's routes and commands call them. Every refusal is a RelayError from the one table.
import type { Backups, MadeBackup } from '../api/backups.ts';

export interface BackupVerbs {
  list(): Promise<Backups>;
  /** One now, in the folder that is set. */
  make(): Promise<MadeBackup>;
}
