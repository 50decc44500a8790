// The private PostgreSQL in `<home>/postgres`: found again where a crashed daemon left it, started
// where none runs, made where there is none yet, and supervised until `stop`. Its connection stays
// the same through every restart. The caller owns the home: never two daemons at one directory.

import { randomBytes } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RelayError } from '@relay/core/errors';
import type { Log } from '@relay/core/log';
import { retryWhileAway } from '../failures.ts';
import type { DaemonRole } from '../roles.ts';
import { createDatabase, greet, isMissingDatabase, isRefusal } from './answer.ts';
import { type BinaryPlaces, findBinaries } from './binaries.ts';
import {
  clusterMajor,
  createCluster,
  DAEMON_ROLE,
  ROLE,
  readPassword,
  type Site,
} from './cluster.ts';
import { logFile } from './log-file.ts';
import { readPidFile, servesFrom } from './pid-file.ts';
import { launch, type Postmaster, shutDown, watch } from './postmaster.ts';
import { type Address, type Connection, chooseAddress, type Settings } from './settings.ts';
import { supervise } from './supervisor.ts';
import { chooseUser } from './user.ts';

export interface PrivateServer {
  /** As the owner of everything in it. Usable as it is by `pg`. */
  readonly connection: Connection;
  /** As a role that owns nothing. Its password is another at every start. */
  readonly daemon: Connection;
  /** An earlier daemon had left it running. */
  readonly adopted: boolean;
  readonly version: string;
  /** Rolls back what is open and waits until the server is gone. Safe to call twice. */
  stop(): Promise<void>;
}

export interface PrivateServerOptions {
  readonly directory: string;
  readonly log: Log;
  /** The server had died and takes connections again. */
  onRestart?(): void;
  /** No connection is attempted before this is settled; the server starts meanwhile. */
  readonly beforeConnecting?: Promise<unknown>;
  /** Something that takes longer than a moment, as a sentence. */
  onProgress?(sentence: string): void;
  /** Over the built-in ones: tests trade durability for speed. */
  readonly settings?: Settings;
  /** Where the programs come from, and where root may copy them; tests choose other places. */
  readonly places?: BinaryPlaces;
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
  const connect = (address: Address): Connection => ({
    ...address,
    user: ROLE,
    password,
    database: ROLE,
  });

  const role = { user: DAEMON_ROLE, password: randomBytes(32).toString('base64url') };
  const found = await adopt(site, connect, role, options.beforeConnecting);
  const connection = found?.connection ?? connect(await chooseAddress(site.data));
  const address: Address = { host: connection.host, port: connection.port };
  const start = (signal?: AbortSignal) => launch(site, { address, settings, signal, onProgress });
  const first = found?.postmaster ?? (await start());
  const firstContact = async () => {
    await options.beforeConnecting;
    let createsDatabase = isNew;
    return retryWhileAway(() => {
      const creates = createsDatabase;
      createsDatabase = false;
      return meet(connection, role, creates);
    }, CONNECT_PATIENCE);
  };
  const version = await firstContact().catch(async (cause: unknown) => {
    if (!found) await shutDown(site, first);
    throw doesNotAnswer(first.pid, cause);
  });
  const adopted = found !== undefined;
  log.info(adopted ? 'postgres adopted' : 'postgres started', {
    pid: first.pid,
    version,
    ms: Date.now() - began,
  });

  const supervisor = supervise({
    first,
    start,
    end: (postmaster) => shutDown(site, postmaster),
    log,
    onRestart: () => options.onRestart?.(),
  });
  const trimming = setInterval(() => {
    logFile(directory)
      .trim()
      .catch((error: unknown) => log.warn('postgres log not trimmed', { error }));
  }, LOG_TRIM_INTERVAL).unref();

  return {
    connection,
    daemon: { ...connection, ...role },
    adopted,
    version,
    async stop() {
      clearInterval(trimming);
      await supervisor.stop();
    },
  };
}

async function prepareSite(options: PrivateServerOptions): Promise<Site> {
  const { directory } = options;
  const data = join(directory, 'data');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chmod(directory, 0o700);
  const user = await chooseUser(data);
  const binaries = await findBinaries({
    directory,
    user,
    places: options.places,
    onProgress: options.onProgress?.bind(options),
  });
  return { directory, data, binaries, user };
}

/** The password of a data directory that this PostgreSQL can read, made now if there is none. */
async function openCluster(
  site: Site,
  onProgress?: (sentence: string) => void,
): Promise<{ password: string; isNew: boolean }> {
  const { major } = site.binaries;
  const written = await clusterMajor(site.data);
  if (written === undefined) {
    onProgress?.('Preparing the database, this once');
    return { password: await createCluster(site), isNew: true };
  }
  if (written !== major) {
    throw new RelayError('database_start_failed', {
      reason: `${site.data} was written by PostgreSQL ${written} and this Relay brings ${major}. Run \`relay export\` with the Relay that made it, then \`relay import\` into a new home.`,
    });
  }
  const password = await readPassword(site.directory);
  if (password) return { password, isNew: false };
  throw new RelayError('database_start_failed', {
    reason: `${join(site.directory, 'password')} is missing. Put it back from a backup of this home.`,
  });
}

interface Adopted {
  readonly postmaster: Postmaster;
  readonly connection: Connection;
}

/** Waits through a start or a stop that is under way; `undefined` when nobody serves the data. */
async function adopt(
  site: Site,
  connect: (address: Address) => Connection,
  role: DaemonRole,
  beforeConnecting: Promise<unknown> | undefined,
): Promise<Adopted | undefined> {
  if (!(await findRunning(site))) return undefined;
  await beforeConnecting;
  const deadline = Date.now() + ADOPTION_PATIENCE;
  for (;;) {
    const file = await findRunning(site);
    if (!file) return undefined;
    if (file.ready) {
      const connection = connect(file.address);
      try {
        await meet(connection, role, false);
        return { postmaster: watch(file.pid, site.data), connection };
      } catch (cause) {
        if (Date.now() > deadline || isRefusal(cause)) throw doesNotAnswer(file.pid, cause);
      }
    }
    await sleep(ADOPTION_POLL);
  }
}

async function findRunning(site: Site) {
  const file = await readPidFile(site.data);
  return file && (await servesFrom(file.pid, site.data)) ? file : undefined;
}

/** A start that was cut off before its database was made has it made by the next. */
async function meet(connection: Connection, role: DaemonRole, isNew: boolean): Promise<string> {
  if (isNew) await createDatabase(connection);
  return greet(connection, role).catch(async (error: unknown) => {
    if (!isMissingDatabase(error)) throw error;
    await createDatabase(connection);
    return greet(connection, role);
  });
}

function doesNotAnswer(pid: number, cause: unknown): RelayError {
  const said = cause instanceof Error ? cause.message : String(cause);
  const reason = `it runs (PID ${pid}) and does not let Relay in: ${said}.`;
  return new RelayError('database_start_failed', { reason }, { cause });
}
