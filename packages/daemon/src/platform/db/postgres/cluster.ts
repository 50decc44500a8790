// Creates the data directory, once. `data` exists only if it is complete and on disk: everything is created in
// `data.new`, which is renamed at the end; otherwise the next start deletes it.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chown,
  constants,
  copyFile,
  type FileHandle,
  mkdir,
  open,
  readFile,
  rename,
  rm,
  stat,
  truncate,
} from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { RelayError } from '@relay/contract/errors';
import type { Binaries } from './binaries.ts';
import { dataArgument, type ServerUser } from './user.ts';

/** Owns everything in the private server and migrates the tables. */
export const OWNER_ROLE = 'relay';
/** The role that the daemon connects as. */
export const DAEMON_ROLE = 'relay_daemon';

/** What every PostgreSQL program is started with. */
export interface ServerSite {
  readonly directory: string;
  readonly data: string;
  readonly binaries: Binaries;
  readonly user: ServerUser | undefined;
}

/** The major version that wrote `data`, or `undefined` if there is none yet. */
export async function clusterMajor(data: string): Promise<number | undefined> {
  const text = await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Number.parseInt(text, 10);
}

export async function readOwnerPassword(directory: string): Promise<string | undefined> {
  const text = await readFile(join(directory, 'password'), 'utf8').catch(() => '');
  return text.trim() || undefined;
}

export async function createCluster(site: ServerSite): Promise<string> {
  const draft = `${site.data}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  if (site.user) await chown(draft, site.user.uid, site.user.gid);
  const password = await writePassword(site.directory);
  await runInitdb(site, draft, password);
  await rename(draft, site.data);
  await syncDirectory(site.directory);
  return password;
}

async function writePassword(directory: string): Promise<string> {
  const password = randomBytes(32).toString('base64url');
  const path = join(directory, 'password');
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(`${password}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  return password;
}

async function runInitdb(site: ServerSite, draft: string, password: string): Promise<void> {
  const lent = site.user ? await lendPassword(site.directory, password, site.user) : undefined;
  try {
    const child = spawn(
      site.binaries.initdb,
      [
        '--pgdata',
        await dataArgument(draft, site.user),
        '--username',
        OWNER_ROLE,
        '--pwfile',
        lent ? '/dev/fd/3' : join(site.directory, 'password'),
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--data-checksums',
        '--no-instructions',
      ],
      {
        cwd: draft,
        ...site.user,
        env: site.binaries.environment,
        stdio: ['ignore', 'ignore', 'pipe', ...(lent ? [lent.fd] : [])],
      },
    );
    const { promise, resolve, reject } = Promise.withResolvers<number | null>();
    child.once('error', reject);
    child.once('close', resolve);
    const [code, complaints] = await Promise.all([promise, child.stderr ? text(child.stderr) : '']);
    if (code !== 0) throw new Error(lastComplaint(complaints) ?? `initdb exited with code ${code}`);
  } catch (cause) {
    throw databaseStartFailed(cause, 'its data directory could not be created');
  } finally {
    await lent?.close();
  }
}

/** An unlinked file, owned by `user` and reachable only through its descriptor: the directory itself stays closed. */
async function lendPassword(
  directory: string,
  password: string,
  user: ServerUser,
): Promise<FileHandle> {
  const path = join(directory, 'password.lent');
  const writer = await open(path, 'w', 0o600);
  await writer.writeFile(`${password}\n`);
  await writer.chown(user.uid, user.gid);
  await writer.close();
  const reader = await open(path, 'r');
  await rm(path);
  return reader;
}

async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  await handle.sync().finally(() => handle.close());
}

export function databaseStartFailed(cause: unknown, what: string): RelayError {
  if (cause instanceof RelayError) return cause;
  // The file exists, its loader does not: a C library the programs were not built for.
  if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') {
    const platform = `${process.platform}-${process.arch} without glibc`;
    return new RelayError('database_unsupported', { platform }, { cause });
  }
  const detail = cause instanceof Error ? cause.message : String(cause);
  const reason = `${what} (${detail.replace(/\.$/, '')}).`;
  return new RelayError('database_start_failed', { reason }, { cause });
}

// The server's own log, `postgres.log`: opened by the daemon, written by the server through an inherited descriptor in
// append mode. So it can be truncated at any time, whoever started the server.

const MAX_LOG_BYTES = 2 * 1024 * 1024;

interface PostgresLogFile {
  readonly path: string;
  open(): Promise<FileHandle>;
  size(): Promise<number>;
  /** The last error that process `pid` wrote after `from`, in PostgreSQL's words. */
  complaint(from: number, pid: number): Promise<string | undefined>;
  /** Moves an oversized log aside, replacing the one moved before. */
  trim(): Promise<void>;
}

export function postgresLogFile(directory: string): PostgresLogFile {
  const path = join(directory, 'postgres.log');
  const size = async () => (await stat(path).catch(() => undefined))?.size ?? 0;
  return {
    path,
    size,
    open: () => open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o600),
    async complaint(from, pid) {
      const file = await open(path, 'r');
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(64 * 1024), { position: from });
        const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
        return lastComplaint(lines.filter((line) => isFrom(pid, line)).join('\n'));
      } finally {
        await file.close();
      }
    },
    async trim() {
      if ((await size()) <= MAX_LOG_BYTES) return;
      await copyFile(path, `${path}.1`);
      await truncate(path, 0);
    },
  };
}

/** Orphans of an earlier server write here too; a line without a pid is from the loader. */
function isFrom(pid: number, line: string): boolean {
  const writer = /^[\d-]+ [\d:.]+ \w+ \[(\d+)\]/.exec(line)?.[1];
  return writer === undefined || writer === String(pid);
}

export function lastComplaint(text: string): string | undefined {
  const complaints = text.matchAll(
    /(?:FATAL|PANIC|ERROR|error|loading shared libraries):\s+(.+)$/gm,
  );
  return [...complaints].at(-1)?.[1]?.trim();
}
