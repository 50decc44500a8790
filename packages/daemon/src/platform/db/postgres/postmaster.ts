// Starts, finds and stops one postmaster. It leads its own session and writes to `postgres.log`, so neither Ctrl-C nor
// the daemon's death reaches it.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { open, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Log } from '@relay/core/log';
import { databaseStartFailed, postgresLogFile, type ServerSite } from './cluster.ts';
import {
  loopbackAddress,
  type PostgresSettings,
  type ServerAddress,
  serverArguments,
  socketAddress,
  socketPath,
} from './settings.ts';
import { dataArgument } from './user.ts';

export interface Postmaster {
  readonly pid: number;
  /** If this process started it. */
  readonly child?: ChildProcess;
  /** Settles when the process is gone, whoever ended it. Does not keep the event loop alive. */
  readonly gone: Promise<void>;
}

const READY_POLL = 4;
const WATCH_POLL = 200;
/** How long the backends of a killed postmaster may take to notice and release its memory. */
const ORPHANS_PATIENCE = 20_000;
const FAST_PATIENCE = 15_000;
const IMMEDIATE_PATIENCE = 8_000;

interface LaunchOptions {
  readonly address: ServerAddress;
  readonly settings?: PostgresSettings | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((sentence: string) => void) | undefined;
}

/** Starts a postmaster and waits until it accepts connections, including crash recovery. */
export async function launchPostmaster(
  site: ServerSite,
  options: LaunchOptions,
): Promise<Postmaster> {
  const deadline = Date.now() + ORPHANS_PATIENCE;
  for (;;) {
    options.signal?.throwIfAborted();
    const outcome = await launchOnce(site, options);
    if (typeof outcome !== 'string') return outcome;
    const busy = /pre-existing shared memory block|lock file .* already exists/.test(outcome);
    if (!busy || Date.now() > deadline) throw databaseStartFailed(outcome, 'it exited immediately');
    await sleep(50);
  }
}

/** A postmaster that is ready, or the error it ended with. */
async function launchOnce(site: ServerSite, options: LaunchOptions): Promise<Postmaster | string> {
  const log = postgresLogFile(site.directory);
  await log.trim();
  await clearStaleLocks(site.data);
  const from = await log.size();
  const postmaster = await spawnPostmaster(site, options);
  const { pid, child } = postmaster;
  const giveUp = () => child.kill('SIGINT');
  options.signal?.addEventListener('abort', giveUp, { once: true });
  try {
    const slow = Date.now() + 1_500;
    for (let isReported = false; !hasEnded(child); ) {
      const file = await readPidFile(site.data);
      if (file?.pid === pid && file.ready) return postmaster;
      if (!isReported && Date.now() > slow) {
        options.onProgress?.('PostgreSQL is recovering after a crash');
        isReported = true;
      }
      await sleep(READY_POLL);
    }
    options.signal?.throwIfAborted();
    return (await log.complaint(from, pid)) ?? `no reason given, see ${log.path}`;
  } finally {
    options.signal?.removeEventListener('abort', giveUp);
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function spawnPostmaster(
  site: ServerSite,
  options: LaunchOptions,
): Promise<Required<Postmaster>> {
  const where = await dataArgument(site.data, site.user);
  const output = await postgresLogFile(site.directory).open();
  try {
    const child = spawn(
      site.binaries.postgres,
      ['-D', where, ...serverArguments(options.address, options.settings)],
      {
        cwd: site.data,
        ...site.user,
        env: site.binaries.environment,
        detached: true,
        windowsHide: true,
        stdio: ['ignore', output.fd, output.fd],
      },
    );
    // Listens from the first moment: a postmaster that finds a lock exits within milliseconds.
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    child.once('exit', () => resolve());
    await once(child, 'spawn');
    child.unref();
    if (child.pid === undefined) throw new Error('it has no process id');
    return { child, pid: child.pid, gone };
  } catch (cause) {
    throw databaseStartFailed(cause, 'the program could not be started');
  } finally {
    await output.close();
  }
}

/** A postmaster that is not our child: watched by its pid and its working directory. */
export function watchPostmaster(pid: number, data: string): Postmaster {
  const gone = (async () => {
    while (await stillServes(pid, data)) await sleep(WATCH_POLL, undefined, { ref: false });
  })();
  return { pid, gone };
}

/** Stops it: open transactions are rolled back; if that takes too long, it is killed. */
export async function shutDownPostmaster(site: ServerSite, postmaster: Postmaster): Promise<void> {
  const { pid, child } = postmaster;
  // A child is known whatever became of its directory.
  const isRunning = async () =>
    child === undefined ? stillServes(pid, site.data) : !hasEnded(child);
  const steps = [
    ['INT', FAST_PATIENCE],
    ['QUIT', IMMEDIATE_PATIENCE],
    ['KILL', IMMEDIATE_PATIENCE],
  ] as const;
  for (const [name, patience] of steps) {
    if (!(await isRunning())) return;
    await sendSignal(site, pid, name);
    const deadline = Date.now() + patience;
    while (Date.now() < deadline) {
      if (!(await isRunning())) return;
      await sleep(10);
    }
  }
}

async function sendSignal(
  site: ServerSite,
  pid: number,
  name: 'INT' | 'QUIT' | 'KILL',
): Promise<void> {
  if (process.platform === 'win32') {
    // Windows has no signals: PostgreSQL listens on a pipe that its own tool knows.
    await promisify(execFile)(site.binaries.pgCtl, ['kill', name, String(pid)]).catch(() => {});
    return;
  }
  try {
    process.kill(pid, `SIG${name}`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

// Reads `postmaster.pid`, PostgreSQL's record of which process serves a data directory, and checks it against the
// process table: a pid alone proves nothing, because pids are reused.

interface PidFile {
  readonly pid: number;
  readonly address: ServerAddress;
  readonly ready: boolean;
}

const PID_FILE = 'postmaster.pid';

export async function readPidFile(data: string): Promise<PidFile | undefined> {
  const text = await readFile(join(data, PID_FILE), 'utf8').catch(() => '');
  return parsePidFile(text, data);
}

/** Lines: pid, data directory, start time, port, socket directory, address, shared memory, status. */
export function parsePidFile(text: string, data: string): PidFile | undefined {
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const address = lines[4] ? socketAddress(data) : loopbackAddress(Number(lines[3]));
  return { pid, address, ready: lines[7]?.trim() === 'ready' };
}

/** Whether `pid` is a live server of `data`: not a zombie, not another program with that pid. */
export async function servesFrom(pid: number, data: string): Promise<boolean> {
  if (!(await stillServes(pid, data))) return false;
  if (process.platform !== 'darwin') return true;
  const name = await promisify(execFile)('ps', ['-o', 'comm=', '-p', String(pid)]).catch(
    () => undefined,
  );
  return name?.stdout.trim().endsWith('postgres') ?? false;
}

/** The same for a server known a moment ago, cheap enough to check every few milliseconds. */
async function stillServes(pid: number, data: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  return process.platform === 'linux' ? linuxServesFrom(pid, data) : true;
}

const DELETED = ' (deleted)';

async function linuxServesFrom(pid: number, data: string): Promise<boolean> {
  try {
    const folder = await readlink(`/proc/${pid}/cwd`);
    // A server whose home was deleted still has to be stopped.
    if (folder.endsWith(DELETED)) return folder === `${data}${DELETED}`;
    return folder === (await realpath(data));
  } catch (error) {
    // Root without CAP_SYS_PTRACE (in containers) may not read the working directory of another user's process.
    if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) return false;
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    return / \(postgres\) [^ZX] /.test(stat);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * A lock whose pid now belongs to another program, or to a zombie that was not reaped, would make PostgreSQL refuse to
 * start. We write our own pid, its parent's, into the pid file: that passes this check and keeps the other one, that no
 * orphaned backend still holds the shared memory. The socket's lock guards nothing else and is deleted.
 */
async function clearStaleLocks(data: string): Promise<void> {
  const pidFile = join(data, PID_FILE);
  const text = await readFile(pidFile, 'utf8').catch(() => '');
  if (await isTakenOver(text, data)) {
    const flags = constants.O_WRONLY | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);
    const handle = await open(pidFile, flags);
    await handle
      .writeFile([String(process.pid), ...text.split('\n').slice(1)].join('\n'))
      .finally(() => handle.close());
  }
  const socketLock = `${socketPath(data)}.lock`;
  const lock = await readFile(socketLock, 'utf8').catch(() => '');
  if (await isTakenOver(lock, data)) await rm(socketLock, { force: true });
}

async function isTakenOver(lock: string, data: string): Promise<boolean> {
  const pid = Number.parseInt(lock, 10);
  return pid > 0 && isAlive(pid) && !(await servesFrom(pid, data));
}

// Keeps the postmaster running while the daemon runs: if it dies it is restarted, immediately the first time, then with
// growing delays. After `stop` nothing is started any more.

const FIRST_DELAY = 100;
const LONGEST_DELAY = 10_000;
/** A server that ran for this long counts as healthy again. */
const HEALTHY_AFTER = 30_000;

interface SupervisorOptions {
  readonly first: Postmaster;
  /** Starts another postmaster and waits until it is ready; rejects when `signal` aborts. */
  start(signal: AbortSignal): Promise<Postmaster>;
  end(postmaster: Postmaster): Promise<void>;
  readonly log: Log;
  /** Must not throw. */
  onRestart?(): void;
}

export function supervisePostmaster(options: SupervisorOptions): { stop(): Promise<void> } {
  const { log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const asked = once(signal, 'abort');
  let current = options.first;
  let upSince = Date.now();
  let failures = 0;

  async function keepRunning(): Promise<void> {
    for (;;) {
      await Promise.race([current.gone, asked]);
      if (signal.aborted) return;
      log.error('postgres stopped unexpectedly', { pid: current.pid });
      if (Date.now() - upSince > HEALTHY_AFTER) failures = 0;
      const next = await startAgain();
      if (!next) return;
      current = next;
      upSince = Date.now();
      log.warn('postgres restarted', { pid: next.pid, attempt: failures });
      options.onRestart?.();
    }
  }

  async function startAgain(): Promise<Postmaster | undefined> {
    while (!signal.aborted) {
      try {
        await sleep(restartDelay(failures), undefined, { signal, ref: false });
        failures += 1;
        return await options.start(signal);
      } catch (error) {
        if (!signal.aborted) log.error('postgres did not start', { attempt: failures, error });
      }
    }
    return undefined;
  }

  const running = keepRunning();
  let stopped: Promise<void> | undefined;

  async function stop(): Promise<void> {
    stopping.abort();
    await running;
    await options.end(current);
  }

  return {
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

function restartDelay(failures: number): number {
  return failures === 0 ? 0 : Math.min(FIRST_DELAY * 2 ** (failures - 1), LONGEST_DELAY);
}
