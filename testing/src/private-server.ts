// Homes and stand-in daemons for the tests of the private server. Whatever a test leaves behind is ended and removed
// when it is over.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { silentLog } from '@relay/core/log';
import {
  type PrivateServer,
  type PrivateServerOptions,
  startPrivateServer,
} from '@relay/daemon/platform/db/postgres/server';
import type { ServerConnection } from '@relay/daemon/platform/db/postgres/settings';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { removeFolder } from './remove-folder.ts';

export const NOBODY = { uid: 65_534, gid: 65_534 };
export const isRoot = process.getuid?.() === 0;
const HOLDER = fileURLToPath(new URL('./hold-private-server.ts', import.meta.url));

/** `<home>/postgres` of a new 0700 home. */
export async function newDirectory(owner?: { uid: number; gid: number }): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'relay-home-'));
  onTestFinished(() => removeFolder(home));
  if (owner) await chown(home, owner.uid, owner.gid);
  return join(home, 'postgres');
}

export async function start(
  directory: string,
  options: Partial<PrivateServerOptions> = {},
): Promise<PrivateServer> {
  const server = await startPrivateServer({ directory, log: silentLog, ...options });
  onTestFinished(() => server.stop());
  return server;
}

export interface Holder {
  readonly child: ChildProcess;
  readonly connection: ServerConnection;
  readonly adopted: boolean;
}

/** Starts the server from another process, by another user if needed. */
export async function startElsewhere(
  directory: string,
  options: { user?: { uid: number; gid: number }; packageDirectory?: string; leave?: boolean } = {},
): Promise<Holder> {
  const { packageDirectory = '', leave = false } = options;
  const child = spawn(
    process.execPath,
    [HOLDER, directory, leave ? 'leave' : 'hold', packageDirectory],
    {
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {},
      ...options.user,
    },
  );
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await killServer(directory);
  });
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  for await (const line of createInterface(child.stdout)) {
    return { child, ...JSON.parse(line) };
  }
  throw new Error(complaints);
}

export async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

export async function serverPid(directory: string): Promise<number> {
  const text = await readFile(join(directory, 'data', 'postmaster.pid'), 'utf8');
  return Number.parseInt(text, 10);
}

async function killServer(directory: string): Promise<void> {
  const pid = await serverPid(directory).catch(() => 0);
  const where = await stat(`/proc/${pid}/cwd`).catch(() => undefined);
  const data = await stat(join(directory, 'data')).catch(() => undefined);
  if (!where || where.ino !== data?.ino) return;
  process.kill(pid, 'SIGQUIT');
  await until(() => !isAlive(pid));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}

export async function query(connection: ServerConnection, sql: string): Promise<unknown[]> {
  const client = new pg.Client(connection);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

/** Whether another user could run this test: the checkout and Node must be readable by everyone. */
export async function openToEveryone(): Promise<boolean> {
  for (const file of [HOLDER, process.execPath]) {
    for (let at = file, wanted = 0o4; at !== dirname(at); at = dirname(at), wanted = 0o1) {
      if (((await stat(at)).mode & wanted) !== wanted) return false;
    }
  }
  return true;
}
