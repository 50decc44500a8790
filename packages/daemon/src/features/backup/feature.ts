// Creates backups on request and on a schedule, one at a time, and copies each off this machine. A failure is stored as
// a sentence until it succeeds, and the next check tries again; it never leaves a dead job.

import { createReadStream, createWriteStream } from 'node:fs';
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type {
  Backup,
  BackupService,
  BackupStatus,
  Backups,
  MadeBackup,
} from '@relay/contract/api/backups';
import { RelayError } from '@relay/contract/errors';
import type { AccountId } from '@relay/contract/ids';
import type { BackupSettings } from '@relay/contract/settings';
import {
  backupFailureReason,
  isBackupTooOld,
  nextBackupAt,
} from '@relay/core/backup/backup-schedule';
import type { Log } from '@relay/core/log';
import { findZone } from '@relay/core/schedule/zone';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { openArchive } from './archive.ts';
import { CopyError, copyBackup, runCopyCommand } from './copy.ts';
import { decryptArchive, encryptArchive } from './encryption.ts';

/** What is stored between two starts. */
export interface BackupRecord {
  readonly last_at: string | null;
  /** Why the last scheduled backup failed. */
  readonly failed: { readonly at: string; readonly sentence: string } | null;
  /** The last copy off this machine. */
  readonly copied: { readonly at: string; readonly name: string } | null;
  readonly copy_failed: { readonly at: string; readonly sentence: string } | null;
}

export interface BackupDeps {
  readonly jobs: Jobs;
  readonly log: Log;
  readonly now: () => Date;
  /** Read each time, because they may change while the daemon runs. */
  readonly settings: BackupSettings;
  /** The folder for backups unless another one is set. */
  readonly defaultFolder: string;
  /** Whether the disk of the default folder is nearly full. */
  readonly isDiskLow?: () => boolean;
  /** The time zone for the hours of backups; an IANA name. */
  readonly zone: string;
  /** `isEncrypted`: it is encrypted afterwards, so its secrets need no other protection. */
  archive(options: {
    readonly isEncrypted: boolean;
    readonly accounts?: readonly AccountId[];
  }): Readable;
  readPassphrase(): Promise<string | null>;
  savePassphrase(passphrase: string | null): Promise<void>;
  readRecord(): Promise<BackupRecord>;
  writeRecord(memory: BackupRecord): Promise<void>;
}

interface BackupFeature {
  readonly service: BackupService;
  status(): Promise<BackupStatus>;
  /** An archive as a backup has it: encrypted if backups are. */
  archive(
    accounts?: readonly AccountId[],
  ): Promise<{ readonly stream: Readable; readonly isEncrypted: boolean }>;
  /**
   * Checks at once in the background, and from then on by the clock. Returns a function that waits for the first check.
   */
  start(): Promise<() => Promise<void>>;
}

/** How often to check whether a backup is due, and so how soon a failed one is retried. */
const CHECK_CRON = '*/10 * * * *';

export function openBackups(deps: BackupDeps): BackupFeature {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work, work);
    last = mine.catch(() => {});
    return mine;
  };
  return {
    service: {
      list: () => listBackupState(deps),
      make: () => inTurn(() => makeBackup(deps)),
      setPassphrase: (passphrase) => inTurn(() => deps.savePassphrase(passphrase)),
    },
    status: () => readBackupStatus(deps),
    archive: async (accounts) => openStream(deps, await deps.readPassphrase(), accounts),
    async start() {
      const { jobs, log } = deps;
      jobs.work('backup', 1, () => inTurn(() => backUpWhenDue(deps)));
      await jobs.every('backup', CHECK_CRON, 'UTC', { task: 'look' });
      const first = inTurn(() => backUpWhenDue(deps)).catch((error: unknown) =>
        log.warn('could not check whether a backup is due', { error }),
      );
      return () => first;
    },
  };
}

const folderOf = ({ settings, defaultFolder }: BackupDeps): string =>
  settings.folder ?? defaultFolder;

/** The file system's own error, thrown before the disk is full. */
const NO_SPACE = Object.assign(new Error('the disk is almost full'), { code: 'ENOSPC' });

async function openStream(
  deps: BackupDeps,
  passphrase: string | null,
  accounts?: readonly AccountId[],
): Promise<{ readonly stream: Readable; readonly isEncrypted: boolean }> {
  const isEncrypted = passphrase !== null;
  const stream = deps.archive({ isEncrypted, ...(accounts && { accounts }) });
  return { stream: isEncrypted ? await encryptArchive(stream, passphrase) : stream, isEncrypted };
}

async function makeBackup(deps: BackupDeps): Promise<MadeBackup> {
  const { settings, now, log } = deps;
  const folder = folderOf(deps);
  const began = performance.now();
  const passphrase = await deps.readPassphrase();
  const made = await (async () => {
    try {
      if (settings.folder === null && deps.isDiskLow?.()) throw NO_SPACE;
      const { stream } = await openStream(deps, passphrase);
      const backup = await writeBackup(folder, stream, { at: now(), passphrase });
      const record = await deps.readRecord();
      await deps.writeRecord({ ...record, last_at: backup.made_at, failed: null });
      return { ...backup, removed: await removeOldBackups(folder, settings.keep) };
    } catch (error) {
      const reason =
        error instanceof RelayError
          ? 'the written backup could not be verified'
          : backupFailureReason((error as NodeJS.ErrnoException).code);
      throw new RelayError('backup_failed', { folder, reason }, { cause: error });
    }
  })();
  const ms = Math.round(performance.now() - began);
  log.info('backup created', { path: made.file, count: made.rows, ms });
  const to = copyPlace(deps);
  const copy = to === null ? null : { to, failed: await copyOff(deps, made.file) };
  return { ...made, encrypted: passphrase !== null, copy, ms };
}

/** Where copies go, as words; null if nowhere. */
const copyPlace = ({ settings: { copy_to, copy_command } }: BackupDeps): string | null =>
  copy_to ?? copy_command?.[0] ?? null;

/** Returns why it failed; null if it did not. */
async function copyOff(deps: BackupDeps, file: string): Promise<string | null> {
  const { settings, log, now } = deps;
  const record = await deps.readRecord();
  const at = now().toISOString();
  try {
    if (settings.copy_to !== null) {
      const into = settings.copy_to;
      const hasBackups = async () => (await listBackups(into)).length > 0;
      await copyBackup({ file, into, last: record.copied?.name ?? null, hasBackups });
      await removeOldBackups(into, settings.keep);
    }
    if (settings.copy_command !== null) await runCopyCommand(file, settings.copy_command);
    await deps.writeRecord({ ...record, copied: { at, name: basename(file) }, copy_failed: null });
    log.info('backup copied', { path: copyPlace(deps) ?? '' });
    return null;
  } catch (error) {
    const reason =
      error instanceof CopyError
        ? error.message
        : backupFailureReason((error as NodeJS.ErrnoException).code);
    const sentence = `The backup was not copied to ${copyPlace(deps)}: ${reason}. It is in ${folderOf(deps)}; Relay tries again every 10 minutes.`;
    log.error('backup copy failed', { error });
    await deps.writeRecord({ ...record, copy_failed: { at, sentence } });
    return sentence;
  }
}

/** The scheduled backup. A failure is stored for the status. */
async function backUpWhenDue(deps: BackupDeps): Promise<void> {
  const record = await deps.readRecord();
  const due = dueAt(deps, record);
  if (due === null || due > deps.now()) return copyAgain(deps, record);
  try {
    await makeBackup(deps);
  } catch (error) {
    deps.log.error('backup failed', { error });
    const sentence = error instanceof Error ? error.message : String(error);
    await deps.writeRecord({ ...record, failed: { at: deps.now().toISOString(), sentence } });
  }
}

/** Copies the newest backup if that failed before, or the copy was set up since. */
async function copyAgain(deps: BackupDeps, { copied }: BackupRecord): Promise<void> {
  if (copyPlace(deps) === null) return;
  const [newest] = await listBackups(folderOf(deps));
  if (newest !== undefined && basename(newest.file) !== copied?.name)
    await copyOff(deps, newest.file);
}

function dueAt(
  { settings, zone, now }: BackupDeps,
  { last_at }: Pick<BackupRecord, 'last_at'>,
): Date | null {
  const found = findZone(zone);
  const last = last_at === null ? null : new Date(last_at);
  return found === null ? null : nextBackupAt(settings.every, last, now(), found);
}

async function readBackupStatus(deps: BackupDeps): Promise<BackupStatus> {
  return toBackupStatus(deps, await deps.readRecord());
}

function toBackupStatus(deps: BackupDeps, record: BackupRecord): BackupStatus {
  const { every, passphrase } = deps.settings;
  const to = copyPlace(deps);
  return {
    every,
    last_at: record.last_at,
    trouble: describeTrouble(deps, record),
    encrypted: passphrase !== null,
    copy: to === null ? null : { to, last_at: record.copied?.at ?? null },
  };
}

function describeTrouble(deps: BackupDeps, record: BackupRecord): string | null {
  const { settings, now } = deps;
  const { failed, last_at, copy_failed } = record;
  // After backups were turned off, an earlier failure no longer matters.
  if (failed !== null && settings.every !== 'off') return failed.sentence;
  if (last_at !== null && isBackupTooOld(settings.every, new Date(last_at), now())) {
    return `The last verified backup is from ${last_at.slice(0, 10)}, and one is due every ${settings.every}. Make one with \`relay backup\`.`;
  }
  return copyPlace(deps) === null ? null : (copy_failed?.sentence ?? null);
}

async function listBackupState(deps: BackupDeps): Promise<Backups> {
  const memory = await deps.readRecord();
  const folder = folderOf(deps);
  return {
    ...toBackupStatus(deps, memory),
    folder,
    keep: deps.settings.keep,
    next_at: dueAt(deps, memory)?.toISOString() ?? null,
    backups: await listBackups(folder),
  };
}

// The folder of backups: an archive gets its final name only when it is complete, on disk and read back.
// Invariant: nothing is deleted there except files that Relay wrote, which it knows by their names.

const BACKUP_NAME =
  /^relay-backup-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})Z(?:-\d+)?\.tar\.gz(?:\.age)?$/;
const DRAFT_NAME = /^relay-backup-[\dTZ-]+\.tar\.gz(?:\.age)?\.part$/;

interface BackupMoment {
  readonly at: Date;
  readonly passphrase: string | null;
}

const nameAt = ({ at, passphrase }: BackupMoment, again: number): string => {
  const second = at.toISOString().slice(0, 19).replaceAll(':', '-');
  const suffix = passphrase === null ? '' : '.age';
  return `relay-backup-${second}Z${again === 0 ? '' : `-${again}`}.tar.gz${suffix}`;
};

/** Newest first. */
export async function listBackups(folder: string): Promise<Backup[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const [, day, hour, minute, second] = BACKUP_NAME.exec(name) ?? [];
      if (day === undefined) return [];
      const file = join(folder, name);
      const about = await stat(file).catch(() => null);
      if (about === null || !about.isFile()) return [];
      return [{ file, bytes: about.size, made_at: `${day}T${hour}:${minute}:${second}.000Z` }];
    }),
  );
  // A number distinguishes two backups of the same second; the longer name is the later one.
  return found
    .flat()
    .sort(
      (a, b) =>
        b.made_at.localeCompare(a.made_at) ||
        b.file.length - a.file.length ||
        b.file.localeCompare(a.file),
    );
}

interface WrittenBackup extends Backup {
  readonly rows: number;
}

async function writeBackup(
  folder: string,
  archive: Readable,
  moment: BackupMoment,
): Promise<WrittenBackup> {
  const draft = join(folder, `${nameAt(moment, 0)}.part`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeDrafts(folder);
    await pipeline(archive, createWriteStream(draft, { mode: 0o600, flags: 'wx' }));
    await sync(draft);
    const rows = await readBack(draft, moment);
    const file = await giveFinalName(draft, folder, moment);
    await sync(folder);
    const { size } = await stat(file);
    const made_at = `${moment.at.toISOString().slice(0, 19)}.000Z`;
    return { file, bytes: size, made_at, rows };
  } catch (error) {
    archive.destroy();
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

/** A backup counts only after it could be read back, with its passphrase if it is encrypted. */
async function readBack(file: string, { passphrase }: BackupMoment): Promise<number> {
  let rows = 0;
  const content = createReadStream(file);
  const archive = passphrase === null ? content : await decryptArchive(content, [passphrase]);
  const opened = await openArchive(archive);
  try {
    await opened.readParts(async ({ lines }) => {
      rows += lines.length;
    });
    return rows;
  } finally {
    opened.close();
  }
}

/** Never overwrites another backup: two of the same second get a number. */
async function giveFinalName(draft: string, folder: string, moment: BackupMoment): Promise<string> {
  for (let again = 0; ; again++) {
    const file = join(folder, nameAt(moment, again));
    try {
      await link(draft, file);
      await rm(draft);
      return file;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue;
      // Some file systems of USB sticks and network drives do not support hard links.
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
      if ((await stat(file).catch(() => null)) !== null) continue;
      await rename(draft, file);
      return file;
    }
  }
}

/** Keeps the newest `keep` backups. Returns the removed files. */
async function removeOldBackups(folder: string, keep: number): Promise<string[]> {
  const old = (await listBackups(folder)).slice(keep);
  for (const { file } of old) await rm(file, { force: true });
  return old.map(({ file }) => file);
}

/** Removes what a killed daemon left behind. Only one backup is written at a time. */
async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (DRAFT_NAME.test(name)) await rm(join(folder, name), { force: true });
}

async function sync(path: string): Promise<void> {
  // Windows cannot open a folder; its entries are durable together with the file.
  if (process.platform === 'win32' && !path.endsWith('.part')) return;
  const handle = await open(path, process.platform === 'win32' ? 'r+' : 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
