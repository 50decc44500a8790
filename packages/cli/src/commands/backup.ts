// `relay backup` with its subcommands, `relay export` and `relay import`. In the backup folder the daemon writes the backup, verifies it and
// removes old ones; any other folder gets the same archive, and nothing in it is removed.

import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ArchiveImportReport, Backups, DrillReport } from '@relay/contract/api/backups';
import { RelayError } from '@relay/contract/errors';
import { clientOf, getExport, longTimeoutClientOf, postImport } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { runDrill } from '../daemon-process.ts';
import {
  formatBytes,
  formatClock,
  formatCount,
  formatDuration,
  formatRows,
  toOneLine,
} from '../format.ts';
import { askUser, canAsk, readPipedLine } from '../prompt.ts';
import { findDaemon } from '../running-daemon.ts';
import type { Terminal } from '../terminal.ts';

export const makeBackupCommand: RunCommand = async ({ config, terminal, options }) => {
  if (typeof options.to === 'string') {
    const made_at = new Date().toISOString();
    const second = made_at.slice(0, 19).replaceAll(':', '-');
    const { encrypted } = await clientOf(config.home).get('/api/backups');
    const suffix = encrypted ? '.age' : '';
    const file = join(resolve(options.to), `relay-backup-${second}Z.tar.gz${suffix}`);
    const size = await saveArchive({
      home: config.home,
      file,
      asBackup: true,
      force: false,
      tell: (done) => terminal.progress(`Backing up … ${formatBytes(done)}`),
    });
    if (terminal.json) terminal.writeJson({ file, bytes: size, made_at });
    else terminal.writeLine(`Backed up to ${file} (${formatBytes(size)}). ${adviceOn(encrypted)}`);
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
    `Backed up to ${made.file} (${formatBytes(made.bytes)}, ${formatCount(made.rows, 'row')}, verified).${removed} ${adviceOn(made.encrypted)}`,
  );
  if (made.copy === null) return 0;
  if (made.copy.failed === null) terminal.writeLine(`Copied to ${made.copy.to}.`);
  else terminal.notice(made.copy.failed);
  return made.copy.failed === null ? 0 : 1;
};

const adviceOn = (isEncrypted: boolean): string =>
  isEncrypted
    ? 'It is encrypted; without the passphrase nobody can restore it.'
    : 'It contains your chats; keep it safe.';

// `relay backup list`: the backups there are, and when the next one is due.

export const listBackupsCommand: RunCommand = async ({ config, terminal }) => {
  const found = await clientOf(config.home).get('/api/backups');
  if (terminal.json) terminal.writeJson(found);
  else for (const line of formatBackups(found, new Date())) terminal.writeLine(line);
  return 0;
};

function formatBackups(found: Backups, now: Date): string[] {
  const { every, keep, folder, next_at, trouble, backups, encrypted, copy } = found;
  const next =
    next_at === null ? '' : ` Next backup: ${describeNextBackup(new Date(next_at), now)}.`;
  return [
    every === 'off'
      ? 'Automatic backups are off. Turn them on with "backup": { "every": "day" } in relay.config.json.'
      : `Every ${every}; the newest ${keep} are kept.${next}`,
    encrypted
      ? 'New backups are encrypted.'
      : 'Backups are not encrypted. Encrypt them with `relay backup encrypt`.',
    copy === null
      ? 'Backups are not copied to another machine. Set "backup.copy_to" or "backup.copy_command" in relay.config.json.'
      : `Copied to ${copy.to}; last copy: ${copy.last_at === null ? 'none yet' : formatClock(new Date(copy.last_at), now)}.`,
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

// `relay backup encrypt`: asks for the passphrase of backups.

export const encryptBackupsCommand: RunCommand = async ({ config, terminal, options }) => {
  const passphrase = options.off === true ? null : await readNewPassphrase();
  const result = await clientOf(config.home).post('/api/backups/passphrase', {
    body: { passphrase },
  });
  if (terminal.json) terminal.writeJson(result);
  else if (passphrase === null) terminal.writeLine('New backups are not encrypted.');
  else {
    terminal.writeLine('New backups are encrypted. Earlier backups stay as they are.');
    terminal.note(
      'Keep the passphrase somewhere else than on this machine: without it nobody can restore a backup.',
    );
  }
  return 0;
};

const SHORTEST_PASSPHRASE = 12;

async function readNewPassphrase(): Promise<string> {
  const passphrase = canAsk()
    ? await askUser('Passphrase for backups: ', { secret: true })
    : await readPipedLine();
  if (passphrase.length < SHORTEST_PASSPHRASE) {
    const what = `A passphrase has at least ${SHORTEST_PASSPHRASE} characters; four random words are good.`;
    throw new RelayError('usage', { what });
  }
  if (canAsk() && (await askUser('Again: ', { secret: true })) !== passphrase)
    throw new RelayError('usage', { what: 'The two passphrases differ. Nothing was changed.' });
  return passphrase;
}

// `relay backup drill`: restores a backup into a scratch database, verifies it, and deletes that database.

export const drillBackupCommand: RunCommand = async ({ config, terminal, args }) => {
  const [given] = args;
  const report = await runDrill(config, given === undefined ? '' : resolve(given), terminal);
  if (terminal.json) terminal.writeJson(report);
  else for (const line of formatDrill(report, terminal.colours)) terminal.writeLine(line);
  return report.ok ? 0 : 1;
};

function formatDrill(report: DrillReport, colours: Terminal['colours']): string[] {
  const { ok, file, bytes, made_at, encrypted, upgraded_from, checks, tables, ms } = report;
  const sign = (good: boolean) => (good ? colours.green('✓') : colours.red('✗'));
  const about = [
    formatBytes(bytes),
    `made ${made_at.slice(0, 16).replace('T', ' ')} UTC`,
    encrypted ? 'encrypted' : 'not encrypted',
  ];
  return [
    `Drill with ${file} (${about.join(', ')})`,
    ...checks.map((check) => `${sign(check.ok)} ${check.name.padEnd(8)}  ${check.found}`),
    ...(upgraded_from === null
      ? []
      : [`${sign(true)} ${'schema'.padEnd(8)}  Upgraded from schema ${upgraded_from}.`]),
    ...formatRows(
      Object.entries(tables)
        .filter(([, rows]) => rows > 0)
        .map(([table, rows]) => [table, String(rows).padStart(8)]),
    ),
    '',
    ok
      ? `This backup can be restored. The drill took ${formatDuration(ms / 1_000)} and left nothing behind.`
      : 'This backup cannot be restored completely. Make another one with `relay backup`, and run the drill again.',
  ];
}

// `relay export`: writes everything to one archive at a path that the owner gives.

export const exportArchiveCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const file = resolve(args[0] ?? defaultArchiveName(new Date()));
  const size = await saveArchive({
    home: config.home,
    file,
    asBackup: false,
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

export const importArchiveCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const file = args[0] ?? '';
  if (findDaemon(config.home).state === 'none') throw new RelayError('daemon_not_running');
  const { size, isEncrypted } = await describeArchive(file);
  const passphrase = isEncrypted ? await readArchivePassphrase() : null;
  let sent = 0;
  let shown = 0;
  const archive = createReadStream(file).on('data', (chunk) => {
    sent += chunk.length;
    if (Date.now() - shown < 200) return;
    shown = Date.now();
    terminal.progress(`Importing ${formatBytes(sent)} of ${formatBytes(size)} …`);
  });
  const as = typeof options.as === 'string' ? options.as : undefined;
  const result = await postImport(config.home, archive, { size, passphrase, as }).catch(
    (error: unknown) => {
      // It answered a moment ago, so it was stopped during the import.
      const { code } = error as { code?: unknown };
      const isGone = code === 'daemon_not_running' || code === 'ECONNRESET' || code === 'EPIPE';
      throw isGone ? new RelayError('restore_unclear', {}, { cause: error }) : error;
    },
  );
  if (terminal.json) terminal.writeJson({ file, bytes: size, ...result });
  else {
    terminal.writeLine(
      `Imported ${file} (${formatBytes(size)}, ${formatCount(rowsIn(result), 'row')}).`,
    );
    for (const line of formatRestored(result, as)) terminal.writeLine(line);
  }
  return 0;
};

/** What the owner has to look at, because it may have changed since the backup. */
function formatRestored(result: ArchiveImportReport, added?: string): string[] {
  const { upgraded_from, suspended_tokens, disabled_webhooks, webhooks_without_secret } = result;
  const listed = (names: readonly string[]) => names.map(toOneLine).join(', ');
  return [
    ...(upgraded_from === null ? [] : [`The archive was upgraded from schema ${upgraded_from}.`]),
    ...(added === undefined
      ? ['Sending is on hold. Check the queued messages, then run `relay release`.']
      : [
          `It is the account ${added} now. Link its phone with \`relay init --account ${added}\`.`,
          `Its sending is on hold. Check the queued messages, then run \`relay release --account ${added}\`.`,
        ]),
    ...(suspended_tokens.length === 0
      ? []
      : [
          `These clients are suspended, because their tokens may have been revoked since the backup: ${listed(suspended_tokens)}. Accept one again with \`relay token resume <name>\`.`,
        ]),
    ...(disabled_webhooks.length === 0
      ? []
      : [
          `These webhooks are off, because they may have been deleted since the backup: ${listed(disabled_webhooks)}. Turn one on with \`relay webhook on <name>\`.`,
        ]),
    ...(webhooks_without_secret.length === 0
      ? []
      : [
          `The key for the secrets of these webhooks was not found: ${listed(webhooks_without_secret)}. Create new ones with \`relay webhook rotate <name>\`.`,
        ]),
  ];
}

/** Without one, the daemon tries the passphrase of its own backups. */
async function readArchivePassphrase(): Promise<string | null> {
  const passphrase = canAsk()
    ? await askUser('Passphrase of the archive (empty: the one of this home): ', { secret: true })
    : await readPipedLine();
  return passphrase === '' ? null : passphrase;
}

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);
const AGE_MAGIC = Buffer.from('age-encryption.org/');

async function describeArchive(file: string): Promise<{ size: number; isEncrypted: boolean }> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`;
    throw new RelayError('usage', { what: `${file} ${reason}.` });
  });
  try {
    const magic = Buffer.alloc(AGE_MAGIC.length);
    await handle.read(magic, 0, magic.length, 0).catch(() => null);
    const isEncrypted = magic.equals(AGE_MAGIC);
    if (!isEncrypted && !magic.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC)) {
      throw new RelayError('archive_invalid', { what: `${file} is not an archive of Relay` });
    }
    return { size: (await handle.stat()).size, isEncrypted };
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
  /** Encrypted if backups are. */
  readonly asBackup: boolean;
  readonly force: boolean;
  tell(bytes: number): void;
}

/** Returns the archive's size. */
async function saveArchive(options: SaveArchiveOptions): Promise<number> {
  const { home, file, force } = options;
  if (findDaemon(home).state === 'none') throw new RelayError('daemon_not_running');
  if (existsSync(file) && !force) throw fileExistsError(file);
  const draft = `${file}.${process.pid}.part`;
  try {
    const size = await download(options, draft);
    if (force) await rename(draft, file);
    else await link(draft, file);
    return size;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw fileExistsError(file);
    if (code === 'ENOENT') {
      const what = `The folder ${dirname(file)} does not exist. Create it, or choose another.`;
      throw new RelayError('usage', { what });
    }
    if (code === 'EACCES') {
      const what = `You may not write into ${dirname(file)}. Choose another folder.`;
      throw new RelayError('usage', { what });
    }
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function download(
  { home, asBackup, tell }: SaveArchiveOptions,
  draft: string,
): Promise<number> {
  const archive = await getExport(home, asBackup);
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
