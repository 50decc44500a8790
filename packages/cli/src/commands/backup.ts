// `relay backup`, `relay export` and `relay import`. In the backup folder the daemon writes the backup, verifies it and
// removes old ones; any other folder gets the same archive, and nothing in it is removed.

import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ArchiveImportReport, Backups } from '@relay/contract/api/backups';
import { RelayError } from '@relay/contract/errors';
import { clientOf, getExport, longTimeoutClientOf, postImport } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { formatBytes, formatClock, formatCount, formatRows } from '../format.ts';
import { findDaemon } from '../running-daemon.ts';

export const makeBackupCommand: RunCommand = async ({ config, terminal, options }) => {
  if (typeof options.to === 'string') {
    const made_at = new Date().toISOString();
    const second = made_at.slice(0, 19).replaceAll(':', '-');
    const file = join(resolve(options.to), `relay-backup-${second}Z.tar.gz`);
    const size = await saveArchive({
      home: config.home,
      file,
      force: false,
      tell: (done) => terminal.progress(`Backing up … ${formatBytes(done)}`),
    });
    if (terminal.json) terminal.writeJson({ file, bytes: size, made_at });
    else
      terminal.writeLine(
        `Backed up to ${file} (${formatBytes(size)}). It contains your chats; keep it safe.`,
      );
    return 0;
  }
  // Report no progress for work that cannot start.
  if (findDaemon(config.home).state === 'none') throw new RelayError('daemon_not_running');
  terminal.progress('Creating and verifying a backup …');
  const made = await longTimeoutClientOf(config.home).post('/api/backups');
  if (terminal.json) {
    terminal.writeJson(made);
    return 0;
  }
  const { length: older } = made.removed;
  const removed = older === 0 ? '' : ` ${formatCount(older, 'older backup')} removed.`;
  terminal.writeLine(
    `Backed up to ${made.file} (${formatBytes(made.bytes)}, ${formatCount(made.rows, 'row')}, verified).${removed} It contains your chats; keep it safe.`,
  );
  return 0;
};

// `relay backup list`: the backups there are, and when the next one is due.

export const listBackupsCommand: RunCommand = async ({ config, terminal }) => {
  const found = await clientOf(config.home).get('/api/backups');
  if (terminal.json) terminal.writeJson(found);
  else for (const line of formatBackups(found, new Date())) terminal.writeLine(line);
  return 0;
};

function formatBackups(found: Backups, now: Date): string[] {
  const { every, keep, folder, next_at, trouble, backups } = found;
  const next =
    next_at === null ? '' : ` Next backup: ${describeNextBackup(new Date(next_at), now)}.`;
  return [
    every === 'off'
      ? 'Automatic backups are off. Turn them on with "backup": { "every": "day" } in relay.config.json.'
      : `Every ${every}; the newest ${keep} are kept.${next}`,
    ...(trouble === null ? [] : [trouble]),
    backups.length === 0 ? `No backups in ${folder}.` : `In ${folder}:`,
    ...formatRows(
      backups.map(({ file, bytes: size, made_at }) => [
        formatClock(new Date(made_at), now),
        `${formatBytes(size).padStart(7)}  ${file.slice(folder.length).replace(/^[/\\]/, '')}`,
      ]),
    ),
  ];
}

const describeNextBackup = (at: Date, now: Date): string =>
  at <= now ? 'within minutes' : formatClock(at, now);

// `relay export`: writes everything to one archive at a path that the owner gives.

export const exportArchiveCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const file = resolve(args[0] ?? defaultArchiveName(new Date()));
  const size = await saveArchive({
    home: config.home,
    file,
    force: options.force === true,
    tell: (done) => terminal.progress(`Exporting … ${formatBytes(done)}`),
  });
  if (terminal.json) terminal.writeJson({ file, bytes: size });
  else
    terminal.writeLine(
      `Saved everything to ${file} (${formatBytes(size)}). It contains your chats; keep it safe.`,
    );
  return 0;
};

const defaultArchiveName = (now: Date): string => {
  const two = (value: number) => String(value).padStart(2, '0');
  return `relay-${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}.tar.gz`;
};

// `relay import`: sends an archive to the daemon, which checks all of it before it changes anything.

export const importArchiveCommand: RunCommand = async ({ config, terminal, args }) => {
  const file = args[0] ?? '';
  if (findDaemon(config.home).state === 'none') throw new RelayError('daemon_not_running');
  const size = await archiveSize(file);
  let sent = 0;
  let shown = 0;
  const archive = createReadStream(file).on('data', (chunk) => {
    sent += chunk.length;
    if (Date.now() - shown < 200) return;
    shown = Date.now();
    terminal.progress(`Importing ${formatBytes(sent)} of ${formatBytes(size)} …`);
  });
  const result = await postImport(config.home, archive, size);
  if (terminal.json) terminal.writeJson({ file, bytes: size, ...result });
  else {
    terminal.writeLine(
      `Imported ${file} (${formatBytes(size)}, ${formatCount(rowsIn(result), 'row')}).`,
    );
    terminal.writeLine('Sending is on hold. Check the queued messages, then run `relay release`.');
  }
  return 0;
};

async function archiveSize(file: string): Promise<number> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`;
    throw new RelayError('usage', { what: `${file} ${reason}.` });
  });
  try {
    const magic = Buffer.alloc(2);
    await handle.read(magic, 0, 2, 0).catch(() => null);
    if (magic.readUInt16BE() !== 0x1f8b) {
      throw new RelayError('archive_invalid', { what: `${file} is not a .tar.gz` });
    }
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

const rowsIn = ({ tables }: ArchiveImportReport): number =>
  Object.values(tables).reduce((sum, rows) => sum + rows, 0);

// Saves an archive of everything to the owner's path, readable by them alone. Invariant: it gets its name only when it
// is complete and on disk, and replaces an existing file only when asked to.

interface SaveArchiveOptions {
  readonly home: string;
  readonly file: string;
  readonly force: boolean;
  tell(bytes: number): void;
}

/** Returns the archive's size. */
async function saveArchive({ home, file, force, tell }: SaveArchiveOptions): Promise<number> {
  if (findDaemon(home).state === 'none') throw new RelayError('daemon_not_running');
  if (existsSync(file) && !force) throw fileExistsError(file);
  const draft = `${file}.${process.pid}.part`;
  try {
    const size = await download(home, draft, tell);
    if (force) await rename(draft, file);
    else await link(draft, file);
    return size;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw fileExistsError(file);
    if (code === 'ENOENT' || code === 'EACCES') {
      throw new RelayError('usage', { what: `${file} cannot be written (${code}).` });
    }
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function download(
  home: string,
  draft: string,
  tell: (bytes: number) => void,
): Promise<number> {
  const archive = await getExport(home);
  let size = 0;
  let shown = 0;
  archive.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (Date.now() - shown < 200) return;
    shown = Date.now();
    tell(size);
  });
  await pipeline(archive, createWriteStream(draft, { mode: 0o600, flags: 'wx' }));
  const written = await open(draft, 'r');
  await written.sync();
  await written.close();
  return size;
}

const fileExistsError = (file: string): RelayError =>
  new RelayError('conflict', {
    what: `${file} already exists. Give another name, or replace it with --force.`,
  });
