// Finds the daemon of a home from its files. A pid is trusted only if its process started at the time in the
// descriptor, so that no signal or token reaches another process.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DaemonRuntime } from '@relay/contract/settings';
import { linuxProcessStart, psProcessStart } from '@relay/core/installation';

export type Daemon =
  | { readonly state: 'running'; readonly pid: number; readonly port: number }
  | { readonly state: 'starting'; readonly pid: number }
  | { readonly state: 'none'; readonly stalePid: number | null };

export function findDaemon(home: string): Daemon {
  const pid = Number(read(join(home, 'daemon.pid')).trim() || Number.NaN);
  const runtime = readRuntime(join(home, 'daemon.json'));
  if (!Number.isInteger(pid) || pid < 1) return { state: 'none', stalePid: null };
  if (runtime?.pid !== pid || processStart(pid) !== runtime.process_start) {
    return { state: 'none', stalePid: pid };
  }
  return runtime.port === null
    ? { state: 'starting', pid }
    : { state: 'running', pid, port: runtime.port };
}

/** False for a process that ended and was not reaped yet. */
export const isProcessRunning = (pid: number): boolean => processStart(pid) !== null;

/** Null when no such process runs. */
function processStart(pid: number): string | null {
  if (process.platform === 'linux') {
    return linuxProcessStart(read(`/proc/${pid}/stat`), read('/proc/sys/kernel/random/boot_id'));
  }
  try {
    if (process.platform === 'win32') return process.kill(pid, 0) ? 'alive' : null;
    // Loaded only here: on Linux, where it is not needed, it would double the time to find a daemon.
    const { execFileSync } = process.getBuiltinModule('node:child_process');
    const ps = ['-o', 'stat=,lstart=', '-p', String(pid)];
    return psProcessStart(execFileSync('/bin/ps', ps, { encoding: 'utf8', env: { LC_ALL: 'C' } }));
  } catch {
    return null;
  }
}

function readRuntime(path: string): DaemonRuntime | null {
  try {
    return JSON.parse(read(path)) as DaemonRuntime;
  } catch {
    return null;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
