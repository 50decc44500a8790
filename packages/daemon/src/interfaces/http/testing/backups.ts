// A fake of the backups: none exists yet, and every request creates the same one.
import type { Backups, MadeBackup } from '@relay/contract/api/backups';
import type { HttpDeps } from '../deps.ts';
import { AT } from './at.ts';
import type { Recorded } from './recorded.ts';

const made: MadeBackup = {
  file: '/backups/relay-backup-2026-11-15T02-00-00Z.tar.gz',
  bytes: 1,
  made_at: AT,
  rows: 1,
  removed: [],
  encrypted: false,
  copy: null,
  ms: 1,
};

const none: Backups = {
  every: 'off',
  last_at: null,
  trouble: null,
  encrypted: false,
  copy: null,
  folder: '/backups',
  keep: 7,
  next_at: null,
  backups: [],
};

export const backupStandIns = (recorded: Recorded): HttpDeps['backups'] => ({
  list: recorded('listBackups', async () => none),
  make: recorded('makeBackup', async () => made),
  setPassphrase: recorded('setBackupPassphrase', async () => {}),
});
