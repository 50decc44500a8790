// Backups, put together: one when the owner asks, and one whenever the clock says so. One after the other. A failure is
// kept as a sentence until a backup was made, and the next look tries again; it is never a dead job.
import type { Readable } from 'node:stream';
import type { BackupStanding, Backups, MadeBackup } from '@relay/core/api/backups';
import { backupReason, nextBackup } from '@relay/core/backup/due';
import { RelayError } from '@relay/core/errors';
import type { Log } from '@relay/core/log';
import type { BackupVerbs } from '@relay/core/ports/backups';
import { zoneNamed } from '@relay/core/schedule/zone';
import type { BackupSettings } from '@relay/core/settings';
import type { Jobs } from '../jobs/jobs.ts';
import { backupsIn, removeOlder, writeBackup } from './folder.ts';

/** What is remembered between two starts. */
export interface BackupMemory {
  readonly last_at: string | null;
  /** Why the last by the clock was not made. */
  readonly failed: { readonly at: string; readonly sentence: string } | null;
}

export interface BackupWorld {
  readonly jobs: Jobs;
  readonly log: Log;
  readonly now: () => Date;
  /** Read anew each time: they may change while we run. */
  readonly settings: BackupSettings;
  /** Where they lie unless a folder is set. */
  readonly usualFolder: string;
  /** Little is left on the disk of the usual folder. */
  readonly isDiskLow?: () => boolean;
  /** In which the hours of backups are told; an IANA name. */
  readonly zone: string;
  archive(): Readable;
  remembered(): Promise<BackupMemory>;
  remember(memory: BackupMemory): Promise<void>;
}

export interface Backing {
  readonly verbs: BackupVerbs;
  standing(): Promise<BackupStanding>;
  /** Looks at once, in the background, and from then on by the clock. Gives back how to wait for it. */
  start(): Promise<() => Promise<void>>;
}

/** How often it is looked whether one is due, and so how soon one that failed is tried again. */
const LOOK = '*/10 * * * *';

export function openBackups(world: BackupWorld): Backing {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work, work);
    last = mine.catch(() => {});
    return mine;
  };
  return {
    verbs: {
      list: () => listed(world),
      make: () => inTurn(() => make(world)),
    },
    standing: () => standing(world),
    async start() {
      const { jobs, log } = world;
      jobs.work('backup', 1, () => inTurn(() => look(world)));
      await jobs.every('backup', LOOK, 'UTC', { task: 'look' });
      const first = inTurn(() => look(world)).catch((error: unknown) =>
        log.warn('whether a backup is due is not known', { error }),
      );
      return () => first;
    },
  };
}

const folderOf = ({ settings, usualFolder }: BackupWorld): string => settings.folder ?? usualFolder;

/** As the file system would say it, before it has to. */
const NO_SPACE = Object.assign(new Error('the disk is nearly full'), { code: 'ENOSPC' });

async function make(world: BackupWorld): Promise<MadeBackup> {
  const { settings, now, log } = world;
  const folder = folderOf(world);
  const began = performance.now();
  try {
    if (settings.folder === null && world.isDiskLow?.()) throw NO_SPACE;
    const { rows, ...backup } = await writeBackup(folder, world.archive(), now());
    await world.remember({ last_at: backup.made_at, failed: null });
    const removed = await removeOlder(folder, settings.keep);
    const ms = Math.round(performance.now() - began);
    log.info('backed up', { path: backup.file, count: rows, ms });
    return { ...backup, rows, removed, ms };
  } catch (error) {
    const reason =
      error instanceof RelayError
        ? 'what was written could not be read back'
        : backupReason((error as NodeJS.ErrnoException).code);
    throw new RelayError('backup_failed', { folder, reason }, { cause: error });
  }
}

/** By the clock. What went wrong is kept for whoever looks. */
async function look(world: BackupWorld): Promise<void> {
  const memory = await world.remembered();
  const due = dueAt(world, memory);
  if (due === null || due > world.now()) return;
  try {
    await make(world);
  } catch (error) {
    world.log.error('no backup was made', { error });
    const sentence = error instanceof Error ? error.message : String(error);
    await world.remember({ ...memory, failed: { at: world.now().toISOString(), sentence } });
  }
}

function dueAt({ settings, zone, now }: BackupWorld, { last_at }: BackupMemory): Date | null {
  const found = zoneNamed(zone);
  const last = last_at === null ? null : new Date(last_at);
  return found === null ? null : nextBackup(settings.every, last, now(), found);
}

async function standing(world: BackupWorld): Promise<BackupStanding> {
  return standingOf(world, await world.remembered());
}

function standingOf({ settings }: BackupWorld, { last_at, failed }: BackupMemory): BackupStanding {
  // What nobody wants any more is no trouble.
  const trouble = settings.every === 'off' ? null : (failed?.sentence ?? null);
  return { every: settings.every, last_at, trouble };
}

async function listed(world: BackupWorld): Promise<Backups> {
  const memory = await world.remembered();
  const folder = folderOf(world);
  return {
    ...standingOf(world, memory),
    folder,
    keep: world.settings.keep,
    next_at: dueAt(world, memory)?.toISOString() ?? null,
    backups: await backupsIn(folder),
  };
}
