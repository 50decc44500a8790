// Claims the home for one daemon, or refuses; the first thing a daemon does. The claim is a kernel lock on
// `daemon.lock` that ends with the process, however it ends, so a claim cannot go stale. SQLite takes the lock because
// Node has no file lock of its own. `daemon.pid` and `daemon.json` only tell others who the owner is; only the owner
// writes them. Nothing else may open `daemon.lock`: closing any handle on it drops the lock.

import { execFile } from 'node:child_process';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { RelayError } from '@relay/contract/errors';
import type { DaemonRuntime } from '@relay/contract/settings';
import { linuxProcessStart, psProcessStart, VERSION } from '@relay/core/installation';
import { prepareHome, writePrivate } from './files.ts';

export interface HomeClaim {
  readonly home: string;
  /** One sentence for each permission that had to be corrected. */
  readonly repairs: readonly string[];
  /** The pid of a daemon that ended without releasing the home. */
  readonly stalePid: number | null;
  /** Writes where the command can reach this daemon. Call it once requests are served. */
  announce(port: number): Promise<void>;
  /** Calls `onGone` once, when the home was deleted or replaced. Returns what ends the watch. */
  watch(onGone: () => void, everyMs?: number): () => void;
  /** The last step of a clean stop: removes the files only after everything else has stopped. */
  release(): Promise<void>;
}

const WATCH_EVERY_MS = 2_000;

export async function claimHome(home: string): Promise<HomeClaim> {
  const repairs = await prepareHome(home);
  const lock = await takeLock(home);
  const lockFile = join(home, 'daemon.lock');
  const { ino } = await stat(lockFile);
  const isOurs = async () => {
    try {
      return (await stat(lockFile)).ino === ino;
    } catch (error) {
      // Another error, such as a disk that does not answer, proves nothing.
      return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
    }
  };
  const pidFile = join(home, 'daemon.pid');
  const runtimeFile = join(home, 'daemon.json');
  const runtime: DaemonRuntime = {
    pid: process.pid,
    port: null,
    process_start: (await processStart(process.pid)) ?? 'unknown',
    started_at: new Date().toISOString(),
    version: VERSION,
  };
  const describe = (port: number | null) =>
    writePrivate(runtimeFile, `${JSON.stringify({ ...runtime, port })}\n`);

  try {
    const stalePid = await readPid(pidFile);
    // Whoever sees the pid must find its description, hence this order, and the reverse on release.
    await describe(null);
    await writePrivate(pidFile, `${process.pid}\n`);
    return {
      home,
      repairs,
      stalePid,
      announce: describe,
      watch(onGone, everyMs = WATCH_EVERY_MS) {
        const timer = setInterval(async () => {
          if (await isOurs()) return;
          clearInterval(timer);
          onGone();
        }, everyMs).unref();
        return () => clearInterval(timer);
      },
      async release() {
        // In the place of a deleted home another daemon may have a new one.
        if (await isOurs()) {
          await rm(pidFile, { force: true });
          await rm(runtimeFile, { force: true });
        }
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

async function takeLock(home: string): Promise<DatabaseSync> {
  const path = join(home, 'daemon.lock');
  const created = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null;
    throw new RelayError(
      'home_unusable',
      { home, reason: `it cannot be written (${error.code}).` },
      { cause: error },
    );
  });
  await created?.close();
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    // With BEGIN IMMEDIATE exactly one of many processes gets the lock; an EXCLUSIVE transaction could leave none.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE');
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== 5) throw error;
    throw new RelayError('home_in_use', { home, pid: await ownerPid(home) });
  }
}

/** The owner may have just taken the lock and not have written its pid yet. */
async function ownerPid(home: string): Promise<number | string> {
  for (let tries = 0; tries < 20; tries++) {
    const pid = await readPid(join(home, 'daemon.pid'));
    if (pid !== null && (await processStart(pid)) !== null) return pid;
    await sleep(25);
  }
  return 'unknown';
}

async function readPid(path: string): Promise<number | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return /^\d+\s*$/.test(text) ? Number(text) : null;
}

// Reads from the operating system when a process started. Two processes that had the same pid one after the other never
// have the same start time.

/** Null when no such process runs. */
async function processStart(pid: number): Promise<string | null> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
    if (stat === null) return null;
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
    return linuxProcessStart(stat, boot);
  }
  if (process.platform === 'win32') return isAlive(pid) ? 'alive' : null;
  const ps = await promisify(execFile)('/bin/ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    env: { LC_ALL: 'C' },
  }).catch(() => null);
  return ps === null ? null : psProcessStart(ps.stdout);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
