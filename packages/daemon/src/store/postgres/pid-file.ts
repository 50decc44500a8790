// Reads `postmaster.pid`, PostgreSQL's own word on which process serves a data directory, and
// checks it against the process table: a pid alone proves nothing, numbers are used again.

import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { open, readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Address, loopbackAddress, socketAddress } from './settings.ts';

export interface PidFile {
  readonly pid: number;
  readonly address: Address;
  readonly ready: boolean;
}

const FILE = 'postmaster.pid';

export async function readPidFile(data: string): Promise<PidFile | undefined> {
  const text = await readFile(join(data, FILE), 'utf8').catch(() => '');
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

/** Whether `pid` is a live server of `data`: not a zombie, not another program under that number. */
export async function servesFrom(pid: number, data: string): Promise<boolean> {
  if (!(await stillServes(pid, data))) return false;
  if (process.platform !== 'darwin') return true;
  const name = await promisify(execFile)('ps', ['-o', 'comm=', '-p', String(pid)]).catch(
    () => undefined,
  );
  return name?.stdout.trim().endsWith('postgres') ?? false;
}

/** The same of a server known a moment ago, cheap enough to be asked every few milliseconds. */
export async function stillServes(pid: number, data: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  return process.platform === 'linux' ? linuxServesFrom(pid, data) : true;
}

async function linuxServesFrom(pid: number, data: string): Promise<boolean> {
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(data));
  } catch (error) {
    // A root without CAP_SYS_PTRACE (containers) may not look where another user's process stands.
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
 * A stale file whose number now belongs to another program, or to a zombie nobody reaps, would make
 * PostgreSQL refuse to start. Naming ourselves, its parent, passes that check and keeps the other
 * one in the file: that no orphaned backend still holds the shared memory.
 */
export async function disownStalePidFile(data: string): Promise<void> {
  const file = await readPidFile(data);
  if (!file || !isAlive(file.pid) || (await servesFrom(file.pid, data))) return;
  const path = join(data, FILE);
  const lines = (await readFile(path, 'utf8')).split('\n');
  const flags = constants.O_WRONLY | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(path, flags);
  try {
    await handle.writeFile([String(process.pid), ...lines.slice(1)].join('\n'));
  } finally {
    await handle.close();
  }
}
