// The first thing a daemon does: become the one owner of its home, or be refused.
// The claim is a lock the kernel holds on `daemon.lock` and drops with the process, however that
// ends, so a claim cannot go stale. SQLite takes it because Node has no file lock of its own.
// `daemon.pid` and `daemon.json` only tell others who the owner is; the owner alone writes them.
// Nothing else may open `daemon.lock`: closing any handle on it drops the lock.

import { execFile } from 'node:child_process';
import { open, readFile, rm } from 'node:fs/promises';
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
  /** One sentence for each permission that had to be mended. */
  readonly mended: readonly string[];
  /** The pid of a daemon that ended without releasing the home. */
  readonly stalePid: number | null;
  /** Tells the command where to reach this daemon. Call it when requests are served. */
  announce(port: number): Promise<void>;
  /** The last act of a clean stop: its files are gone only if everything before it was done. */
  release(): Promise<void>;
}

export async function claimHome(home: string): Promise<HomeClaim> {
  const mended = await prepareHome(home);
  const lock = await takeLock(home);
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
    // Whoever sees the pid must find it described, hence this order, and the reverse on release.
    await describe(null);
    await writePrivate(pidFile, `${process.pid}\n`);
    return {
      home,
      mended,
      stalePid,
      announce: describe,
      async release() {
        await rm(pidFile, { force: true });
        await rm(runtimeFile, { force: true });
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
    // Of many askers exactly one gets the write intent; an EXCLUSIVE transaction could leave none.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE');
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== 5) throw error;
    throw new RelayError('home_in_use', { home, pid: await ownerPid(home) });
  }
}

/** The owner may have taken the lock a moment ago and not have written its pid yet. */
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

// What the operating system says about a process: since when it runs. Two processes that were given
// the same pid, one after the other, never have the same answer.

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
