// The private PostgreSQL server in `<home>/postgres`: adopted if a crashed daemon left it running, otherwise started,
// created if there is none yet, and supervised until `stop`. Its connection stays the same through every restart. The
// caller owns the home: never two daemons at one directory.
import { randomBytes } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RelayError } from '@relay/contract/errors';
import type { Log } from '@relay/core/log';
import pg from 'pg';
import { retryWhileUnavailable } from '../failures.ts';
import { createDaemonRole, type DaemonRole } from '../roles.ts';
import { type BinaryPlaces, findBinaries } from './binaries.ts';
import {
  clusterMajor,
  createCluster,
  DAEMON_ROLE,
  OWNER_ROLE,
  postgresLogFile,
  readOwnerPassword,
  type ServerSite,
} from './cluster.ts';
import {
  launchPostmaster,
  type Postmaster,
  readPidFile,
  servesFrom,
  shutDownPostmaster,
  supervisePostmaster,
  watchPostmaster,
} from './postmaster.ts';
import {
  chooseAddress,
  type PostgresSettings,
  type ServerAddress,
  type ServerConnection,
} from './settings.ts';
import { chooseServerUser } from './user.ts';

export interface PrivateServer {
  /** As the role that owns everything. Can be passed to `pg` directly. */
  readonly owner: ServerConnection;
  /** As a role that owns nothing. Its password changes at every start. */
  readonly daemon: ServerConnection;
  /** An earlier daemon had left it running. */
  readonly adopted: boolean;
  readonly version: string;
  /** Rolls back open transactions and waits until the server is gone. Safe to call twice. */
  stop(): Promise<void>;
}

export interface PrivateServerOptions {
  readonly directory: string;
  readonly log: Log;
  /** The server had died and accepts connections again. */
  onRestart?(): void;
  /** No connection is attempted before this settles; the server starts meanwhile. */
  readonly beforeConnecting?: Promise<unknown>;
  /** Reports a long step, as a sentence. */
  onProgress?(sentence: string): void;
  /** Override the built-in ones: tests trade durability for speed. */
  readonly settings?: PostgresSettings;
  /** Where the programs come from, and where root may copy them; tests choose other places. */
  readonly binaryPlaces?: BinaryPlaces;
}

const ADOPTION_PATIENCE = 20_000;
const CONNECT_PATIENCE = 20_000;
const ADOPTION_POLL = 20;
const LOG_TRIM_INTERVAL = 60_000;

export async function startPrivateServer(options: PrivateServerOptions): Promise<PrivateServer> {
  const { directory, log, settings } = options;
  const onProgress = options.onProgress?.bind(options);
  const began = Date.now();
  const site = await prepareSite(options);
  const { password, isNew } = await openCluster(site, onProgress);
  const connect = (address: ServerAddress): ServerConnection => ({
    ...address,
    user: OWNER_ROLE,
    password,
    database: OWNER_ROLE,
  });

  const role = { user: DAEMON_ROLE, password: randomBytes(32).toString('base64url') };
  const found = await adoptRunningServer(site, connect, role, options.beforeConnecting);
  const connection = found?.connection ?? connect(await chooseAddress(site.data));
  const address: ServerAddress = { host: connection.host, port: connection.port };
  const start = (signal?: AbortSignal) =>
    launchPostmaster(site, { address, settings, signal, onProgress });
  const first = found?.postmaster ?? (await start());
  const firstContact = async () => {
    await options.beforeConnecting;
    let createsDatabase = isNew;
    return retryWhileUnavailable(() => {
      const creates = createsDatabase;
      createsDatabase = false;
      return checkOrCreateDatabase(connection, role, creates);
    }, CONNECT_PATIENCE);
  };
  const version = await firstContact().catch(async (cause: unknown) => {
    if (!found) await shutDownPostmaster(site, first);
    throw serverRefusedError(first.pid, cause);
  });
  const adopted = found !== undefined;
  log.info(adopted ? 'postgres adopted' : 'postgres started', {
    pid: first.pid,
    version,
    ms: Date.now() - began,
  });

  const supervisor = supervisePostmaster({
    first,
    start,
    end: (postmaster) => shutDownPostmaster(site, postmaster),
    log,
    onRestart: () => options.onRestart?.(),
  });
  const trimming = setInterval(() => {
    postgresLogFile(directory)
      .trim()
      .catch((error: unknown) => log.warn('postgres log not trimmed', { error }));
  }, LOG_TRIM_INTERVAL).unref();

  return {
    owner: connection,
    daemon: { ...connection, ...role },
    adopted,
    version,
    async stop() {
      clearInterval(trimming);
      await supervisor.stop();
    },
  };
}

async function prepareSite(options: PrivateServerOptions): Promise<ServerSite> {
  const { directory } = options;
  const data = join(directory, 'data');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  const user = await chooseServerUser(data);
  const binaries = await findBinaries({
    directory,
    user,
    places: options.binaryPlaces,
    onProgress: options.onProgress?.bind(options),
  });
  return { directory, data, binaries, user };
}

/** The password of a data directory that this PostgreSQL can read; creates both if there is none. */
async function openCluster(
  site: ServerSite,
  onProgress?: (sentence: string) => void,
): Promise<{ password: string; isNew: boolean }> {
  const { major } = site.binaries;
  const written = await clusterMajor(site.data);
  if (written === undefined) {
    onProgress?.('Preparing the database (first start only)');
    return { password: await createCluster(site), isNew: true };
  }
  if (written !== major) {
    throw new RelayError('database_start_failed', {
      reason: `${site.data} was written by PostgreSQL ${written}, and this Relay includes ${major}. Run \`relay export\` with the Relay version that created it, then \`relay import\` into a new home.`,
    });
  }
  const password = await readOwnerPassword(site.directory);
  if (password) return { password, isNew: false };
  throw new RelayError('database_start_failed', {
    reason: `${join(site.directory, 'password')} is missing. Restore it from a backup of this home.`,
  });
}

interface AdoptedServer {
  readonly postmaster: Postmaster;
  readonly connection: ServerConnection;
}

/** Waits for a start or stop in progress; `undefined` if nothing serves the data. */
async function adoptRunningServer(
  site: ServerSite,
  connect: (address: ServerAddress) => ServerConnection,
  role: DaemonRole,
  beforeConnecting: Promise<unknown> | undefined,
): Promise<AdoptedServer | undefined> {
  if (!(await findRunning(site))) return undefined;
  await beforeConnecting;
  const deadline = Date.now() + ADOPTION_PATIENCE;
  for (;;) {
    const file = await findRunning(site);
    if (!file) return undefined;
    if (file.ready) {
      const connection = connect(file.address);
      try {
        await checkOrCreateDatabase(connection, role, false);
        return { postmaster: watchPostmaster(file.pid, site.data), connection };
      } catch (cause) {
        if (Date.now() > deadline || isWrongPassword(cause))
          throw serverRefusedError(file.pid, cause);
      }
    }
    await sleep(ADOPTION_POLL);
  }
}

async function findRunning(site: ServerSite) {
  const file = await readPidFile(site.data);
  return file && (await servesFrom(file.pid, site.data)) ? file : undefined;
}

/** If a start was interrupted before its database was created, the next start creates it. */
async function checkOrCreateDatabase(
  connection: ServerConnection,
  role: DaemonRole,
  isNew: boolean,
): Promise<string> {
  if (isNew) await createDatabase(connection);
  return checkServer(connection, role).catch(async (error: unknown) => {
    if (!isMissingDatabase(error)) throw error;
    await createDatabase(connection);
    return checkServer(connection, role);
  });
}

function serverRefusedError(pid: number, cause: unknown): RelayError {
  const said = cause instanceof Error ? cause.message : String(cause);
  const reason = `it is running (PID ${pid}) but refuses the connection: ${said}.`;
  return new RelayError('database_start_failed', { reason }, { cause });
}

// Connects to the server as a client: checks that it accepts our password, reads its version, and ensures that the
// database exists.

const WRONG_PASSWORD = '28P01';
const NO_SUCH_DATABASE = '3D000';

/** The version of a server that answers. Also ensures the daemon's role, with this password. */
async function checkServer(connection: ServerConnection, daemon: DaemonRole): Promise<string> {
  return withClient(connection, async (client) => {
    await createDaemonRole(client, daemon, { reset: true });
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version ?? '';
  });
}

/** Renames the empty database that initdb created: a rename costs nothing, a copy does. */
async function createDatabase(connection: ServerConnection): Promise<void> {
  await withClient({ ...connection, database: 'template1' }, async (client) => {
    const name = client.escapeIdentifier(connection.database);
    await client.query(`ALTER DATABASE postgres RENAME TO ${name}`);
  });
}

async function withClient<T>(
  connection: ServerConnection,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000 });
  // A server that goes away under an idle client is reported here; a running query fails on its own.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** A wrong password stays wrong: there is no point in waiting. */
function isWrongPassword(error: unknown): boolean {
  return codeOf(error) === WRONG_PASSWORD;
}

function isMissingDatabase(error: unknown): boolean {
  return codeOf(error) === NO_SUCH_DATABASE;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
