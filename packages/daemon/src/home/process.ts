// What the operating system says about a process: since when it runs. Two processes that were given
// the same pid, one after the other, never have the same answer.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { linuxProcessStart, psProcessStart } from '@relay/core/process';

/** Null when no such process runs. */
export async function processStart(pid: number): Promise<string | null> {
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
