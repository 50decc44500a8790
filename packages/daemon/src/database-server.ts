// Provides the daemon's PostgreSQL server: a private one that it starts and stops, or the one named by DATABASE_URL.
// Also prepares the two roles there: the daemon's, and the one that owns the tables.
import { join } from 'node:path';
import { RelayError } from '@relay/contract/errors';
import type { Log } from '@relay/core/log';
import type { Config } from './config.ts';
import type { ScourTarget } from './features/retention/scour.ts';
import {
  type ConnectionTarget,
  openDatabase,
  type SharedDatabase,
  withOpenDatabase,
} from './platform/db/database.ts';
import {
  externalServerError,
  isDatabaseFull,
  retryWhileUnavailable,
} from './platform/db/failures.ts';
import { startPrivateServer } from './platform/db/postgres/server.ts';
import { connectionUrl } from './platform/db/postgres/settings.ts';
import { createDaemonRole } from './platform/db/roles.ts';

export interface DatabaseServer {
  readonly kind: 'private' | 'external';
  readonly version: string;
  /** The role and address that the daemon connects with. */
  readonly target: ConnectionTarget;
  /** The same as an address. */
  readonly url: string;
  /** Another role, which owns and migrates the tables; null if the daemon's own role does. */
  readonly owner: ConnectionTarget | null;
  /** Where the server's files are, if they are Relay's. */
  readonly place: ScourTarget;
  /** Why a connection failed, and what to do about it. */
  explain(cause: unknown): RelayError;
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
/** As every connection asks for it. A pooler may drop the request. */
const SEARCH_PATH = 'relay';
const POOLER_REASON =
  'a connection does not get the search_path that Relay asks for; in PgBouncer, set connect_query as in compose.fleet.yaml.';

export async function findServer(options: FindServerOptions): Promise<DatabaseServer> {
  const { config, log, progress, closers, beforeConnecting } = options;
  if (config.databaseUrl !== null) {
    await beforeConnecting;
    return findExternalServer(config.databaseUrl, config.databaseOwnerUrl, {
      patienceMs: CONNECT_PATIENCE_MS,
      onFailure: (error, attempt) => {
        if (attempt === 1) progress?.('Waiting for the database');
        log.warn('database not reachable', { attempt, error });
      },
    });
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
  const explain = (cause: unknown) =>
    new RelayError(isDatabaseFull(cause) ? 'database_full' : 'database_away', {}, { cause });
  return { kind: 'private', version, target, url: connectionUrl(target), owner, place, explain };
}

interface ExternalServerOptions {
  /** How long to wait for a server that is still starting. */
  readonly patienceMs: number;
  onFailure?(error: unknown, attempt: number): void;
  /** Refuses what a start would refuse, without creating the daemon's role. */
  readonly dryRun?: boolean;
}

/** The owner's own server, on which both roles can log in. */
export async function findExternalServer(
  url: string,
  ownerUrl: string | null,
  { dryRun = false, ...options }: ExternalServerOptions,
): Promise<DatabaseServer> {
  const target = { connectionString: url };
  const external = {
    kind: 'external',
    target,
    url,
    place: { kind: 'external' },
    explain: (cause: unknown) => externalServerError(cause, url),
  } as const;
  if (ownerUrl === null) {
    const version = await readVersion(url, 'DATABASE_URL', options);
    return { ...external, version, owner: null };
  }
  const owner = { connectionString: ownerUrl };
  const version = await readVersion(ownerUrl, 'DATABASE_OWNER_URL', options);
  if (!(dryRun && (await isRoleMissing(owner, url)))) {
    if (!dryRun) await makeGivenRole(owner, url);
    await readVersion(url, 'DATABASE_URL', options);
  }
  return { ...external, version, owner };
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
    throw roleNotCreated(role.user, said, cause);
  }
}

const roleNotCreated = (user: string, said: string, cause?: unknown): RelayError => {
  const reason = `the role "${user}" does not exist and could not be created (${said}).`;
  return new RelayError('database_refused', { reason }, { cause });
};

/** Whether the next start creates the role that DATABASE_URL names. Refuses if the owner may not. */
async function isRoleMissing(owner: ConnectionTarget, url: string): Promise<boolean> {
  if (!URL.canParse(url) || new URL(url).username === '') return false;
  const user = decodeURIComponent(new URL(url).username);
  return withOpenDatabase(owner, async ({ pool }) => {
    const { rows } = await pool.query<{ exists: boolean; may: boolean }>(
      `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS exists,
         rolcreaterole OR rolsuper AS may FROM pg_roles WHERE rolname = current_user`,
      [user],
    );
    if (rows[0]?.exists !== false) return false;
    if (rows[0].may) return true;
    throw roleNotCreated(user, 'permission denied to create role');
  });
}

/** Logs in and reads the server's version. */
async function readVersion(
  url: string,
  variable: 'DATABASE_URL' | 'DATABASE_OWNER_URL',
  { patienceMs, onFailure }: ExternalServerOptions,
): Promise<string> {
  let database: SharedDatabase | undefined;
  try {
    const opened = openDatabase({ connectionString: url }, { max: 1 });
    database = opened;
    const read = async () => {
      const { rows } = await opened.pool.query<{ version: string; path: string }>(
        `SELECT current_setting('server_version') AS version, current_setting('search_path') AS path`,
      );
      return { version: rows[0]?.version.split(' ')[0] ?? '?', path: rows[0]?.path };
    };
    const { version, path } = await retryWhileUnavailable(read, patienceMs, onFailure);
    if (path !== SEARCH_PATH) throw new RelayError('database_refused', { reason: POOLER_REASON });
    if (Number.parseInt(version, 10) >= OLDEST_MAJOR) return version;
    const reason = `it is PostgreSQL ${version}, and Relay needs ${OLDEST_MAJOR} or newer.`;
    throw new RelayError('database_refused', { reason });
  } catch (cause) {
    throw externalServerError(cause, url, variable);
  } finally {
    await database?.close();
  }
}
