// Computes when the next scheduled backup is due, and describes why the last one failed. Counted from the last backup,
// so that a machine that was asleep at the time catches up when it wakes.

import type { ScheduleRule } from '@relay/contract/schedule/rule';
import type { BackupSettings } from '@relay/contract/settings';
import { nextOccurrence } from '../schedule/occurrences.ts';
import type { Zone } from '../schedule/zone.ts';

/** Daily and weekly backups are made at night, before the daily housekeeping deletes old content. */
const RULES: Readonly<Record<Exclude<BackupSettings['every'], 'off'>, ScheduleRule>> = {
  hour: { kind: 'cron', expression: '40 * * * *' },
  day: { kind: 'daily', time: '03:40' },
  week: { kind: 'weekly', days: ['sun'], time: '03:40' },
};

/** Null if backups are off. Now if none was made yet. */
export function nextBackupAt(
  every: BackupSettings['every'],
  last: Date | null,
  now: Date,
  zone: Zone,
): Date | null {
  if (every === 'off') return null;
  if (last === null) return now;
  // A clock that was set back must not stop backups until it has caught up.
  const from = last > now ? now : last;
  return nextOccurrence(RULES[every], zone, from);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'the folder does not exist and cannot be created',
  ENOTDIR: 'it is not a folder',
  EEXIST: 'it is not a folder',
  EIO: 'the disk reports errors',
};

const HOUR_MS = 3_600_000;

/** Twice the time between two backups, with some slack for a machine that sleeps. */
const OLDEST_MS: Readonly<Record<Exclude<BackupSettings['every'], 'off'>, number>> = {
  hour: 3 * HOUR_MS,
  day: 49 * HOUR_MS,
  week: 15 * 24 * HOUR_MS,
};

export const isBackupTooOld = (every: BackupSettings['every'], last: Date, now: Date): boolean =>
  every !== 'off' && now.getTime() - last.getTime() > OLDEST_MS[every];

/** As the middle of a sentence. */
export const backupFailureReason = (code: string | undefined): string =>
  code === undefined
    ? 'the archive could not be created'
    : (REASONS[code] ?? `the system reports ${code}`);
