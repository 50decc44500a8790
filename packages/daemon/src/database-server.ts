// Provides the daemon's PostgreSQL server: a private one that it starts and stops, or the one named by DATABASE_URL.
// Also prepares the two roles there: the daemon's, and the one that owns the tables.
import { join } from 'node:path';
import { RelayError } from '@relay/contract/errors';
import type { Log } from '@relay/core/log';
import type { Config } from './config.ts';
import type { ScourTarget } from './features/retention/scour.ts';
import { type ConnectionTarget, openDatabase, withOpenDatabase } from './platform/db/database.ts';
import { isDatabaseUnavailable, retryWhileUnavailable } from './platform/db/failures.ts';
import { startPrivateServer } from './platform/db/postgres/server.ts';
import { createDaemonRole } from './platform/db/roles.ts';

export interface DatabaseServer {
  readonly kind: 'private' | 'external';
  readonly version: string;
  /** The role and address that the daemon connects with. */
  readonly target: ConnectionTarget;
  /** Another role, which owns and migrates the tables; null if the daemon's own role does. */
  readonly owner: ConnectionTarget | null;
  /** Where the server's files are, if they are Relay's. */
  readonly place: ScourTarget;
}

interface FindServerOptions {
  readonly config: Config;
  readonly log: Log;
  readonly progress: ((sentence: string) => void) | undefined;
  readonly closers: (() => Promise<void> | void)[];
  /** No connection is attempted before this promise settles. */
  readonly beforeConnecting: Promise<unknown>;
}

const CONNECT_PATIENCE_MS = 30_000;
const OLDEST_MAJOR = 15;

export async function findServer(options: FindServerOptions): Promise<DatabaseServer> {
  const { config, log, progress, closers, beforeConnecting } = options;
  if (config.databaseUrl !== null) {
    await beforeConnecting;
    const target = { connectionString: config.databaseUrl };
    const owner =
      config.databaseOwnerUrl === null ? null : { connectionString: config.databaseOwnerUrl };
    const version = await readVersion(owner ?? target, log, progress);
    if (owner !== null) await makeGivenRole(owner, config.databaseUrl);
    return { kind: 'external', version, target, owner, place: { kind: 'external' } };
  }
  progress?.('Starting the database');
  const directory = join(config.home, 'postgres');
  const server = await startPrivateServer({
    directory,
    log,
    beforeConnecting,
    ...(progress === undefined ? {} : { onProgress: progress }),
  });
  closers.push(() => server.stop());
  const place = { kind: 'private', data: join(directory, 'data') } as const;
  const { version, daemon: target, owner } = server;
  return { kind: 'private', version, target, owner, place };
}

/** Creates the role that DATABASE_URL names, with the password given there. An existing role stays unchanged. */
async function makeGivenRole(owner: ConnectionTarget, url: string): Promise<void> {
  if (!URL.canParse(url)) return;
  const { username, password } = new URL(url);
  if (username === '') return;
  const role = { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  try {
    await withOpenDatabase(owner, ({ pool }) => createDaemonRole(pool, role, { reset: false }));
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    const reason = `the role "${role.user}" does not exist and could not be created (${said}).`;
    throw new RelayError('database_refused', { reason }, { cause });
  }
}

/** Reads the version of the owner's own server. Waits for a server that is still starting. */
async function readVersion(
  target: ConnectionTarget,
  log: Log,
  progress: FindServerOptions['progress'],
): Promise<string> {
  const database = openDatabase(target, { max: 1 });
  const read = async () => {
    const { rows } = await database.pool.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version.split(' ')[0] ?? '?';
  };
  try {
    const version = await retryWhileUnavailable(read, CONNECT_PATIENCE_MS, (error, attempt) => {
      if (attempt === 1) progress?.('Waiting for the database');
      log.warn('database not reachable', { attempt, error });
    });
    if (Number.parseInt(version, 10) >= OLDEST_MAJOR) return version;
    const reason = `it is PostgreSQL ${version}, and Relay needs ${OLDEST_MAJOR} or newer.`;
    throw new RelayError('database_refused', { reason });
  } catch (cause) {
    if (cause instanceof RelayError) throw cause;
    if (isDatabaseUnavailable(cause)) throw new RelayError('database_unavailable', {}, { cause });
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new RelayError('database_refused', { reason: `${said}.` }, { cause });
  } finally {
    await database.close();
  }
}
