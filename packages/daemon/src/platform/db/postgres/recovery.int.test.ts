// What survives when the daemon, the postmaster or both die.

import { spawn } from 'node:child_process';
import { chown, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLog } from '@relay/core/log';
import {
  isAlive,
  kill,
  newDirectory,
  query,
  serverPid,
  start,
  startElsewhere,
  until,
} from '@relay/testing/private-server';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';

test('a server that a killed daemon left running is adopted, and stopped like its own', async () => {
  const directory = await newDirectory();
  const earlier = await startElsewhere(directory);
  await query(earlier.connection, 'CREATE TABLE kept AS SELECT 7 AS n');
  const pid = await serverPid(directory);
  await kill(earlier.child, 'SIGKILL');

  const server = await start(directory);
  expect(server.adopted).toBe(true);
  expect(await serverPid(directory)).toBe(pid);
  expect(server.owner).toEqual(earlier.connection);
  expect(await query(server.owner, 'SELECT n FROM kept')).toEqual([7]);
  await server.stop();
  expect(await serverPid(directory).catch(() => 'none')).toBe('none');
});

test('an adopted server on loopback keeps its port', async () => {
  const directory = join(await newDirectory(), 'a'.repeat(100));
  const earlier = await startElsewhere(directory);
  await kill(earlier.child, 'SIGKILL');
  const server = await start(directory);
  expect(server.adopted).toBe(true);
  expect(server.owner).toEqual(earlier.connection);
});

test('an adopted server that dies is restarted', async () => {
  const directory = await newDirectory();
  const earlier = await startElsewhere(directory);
  await kill(earlier.child, 'SIGKILL');
  const onRestart = vi.fn();
  const server = await start(directory, { onRestart });
  process.kill(await serverPid(directory), 'SIGKILL');
  await until(() => onRestart.mock.calls.length > 0);
  expect(onRestart).toHaveBeenCalledOnce();
  expect(await query(server.owner, 'SELECT 1')).toEqual([1]);
});

test('no acknowledged write is lost when the postmaster is killed under load', async () => {
  const directory = await newDirectory();
  const restarts = vi.fn();
  const server = await start(directory, { onRestart: restarts });
  await query(server.owner, 'CREATE TABLE written (n int PRIMARY KEY)');
  const acknowledged: number[] = [];
  let next = 0;
  let writing = true;
  const pool = new pg.Pool({ ...server.owner, max: 4 });
  pool.on('error', () => {});
  const writers = Array.from({ length: 4 }, async () => {
    while (writing) {
      const n = next++;
      await pool.query('INSERT INTO written VALUES ($1)', [n]).then(
        () => acknowledged.push(n),
        () => sleep(20),
      );
    }
  });

  for (const round of [1, 2, 3]) {
    const before = acknowledged.length;
    await until(() => acknowledged.length > before + 50);
    process.kill(await serverPid(directory), 'SIGKILL');
    await until(() => restarts.mock.calls.length === round);
  }
  const after = acknowledged.length;
  await until(() => acknowledged.length > after + 50);
  writing = false;
  await Promise.all(writers);
  await pool.end();
  const found = new Set(await query(server.owner, 'SELECT n FROM written'));
  expect(acknowledged.filter((n) => !found.has(n))).toEqual([]);
});

/** The locks as a power cut leaves them: of a server that is gone, with a pid we choose. */
async function stopButLeaveLocks(
  directory: string,
  choosePid: (pid: string, owner: { uid: number; gid: number }) => number | string,
): Promise<void> {
  const server = await start(directory);
  const paths = ['postmaster.pid', '.s.PGSQL.5432.lock'].map((name) =>
    join(directory, 'data', name),
  );
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  const { uid, gid } = await stat(join(directory, 'data'));
  await server.stop();
  const pid = String(choosePid(texts[0]?.split('\n')[0] ?? '', { uid, gid }));
  for (const [index, path] of paths.entries()) {
    await writeFile(path, texts[index]?.replace(/^\d+/, pid) ?? '', { mode: 0o600 });
    await chown(path, uid, gid);
  }
}

test('locks left by a power cut do not prevent a start', async () => {
  const directory = await newDirectory();
  await stopButLeaveLocks(directory, (pid) => pid);
  const server = await start(directory);
  expect(server.adopted).toBe(false);
  expect(await query(server.owner, 'SELECT 1')).toEqual([1]);
});

test('locks whose pid belongs to another program do not prevent a start', async () => {
  const directory = await newDirectory();
  await stopButLeaveLocks(directory, (_, owner) => {
    const stranger = spawn('sleep', ['60'], { ...owner, stdio: 'ignore' });
    onTestFinished(() => {
      expect(stranger.exitCode).toBeNull();
      stranger.kill();
    });
    return stranger.pid ?? 0;
  });
  const server = await start(directory);
  expect(server.adopted).toBe(false);
  expect(await query(server.owner, 'SELECT 1')).toEqual([1]);
});

/** A backend that cannot notice its postmaster's death and holds the shared memory until released. */
async function orphan(directory: string): Promise<{ release(): void; client: pg.Client }> {
  const password = (await readFile(join(directory, 'password'), 'utf8')).trim();
  const host = join(directory, 'data');
  const client = new pg.Client({ host, user: 'relay', password, database: 'relay' });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const pid = rows[0]?.pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  const release = () => {
    if (isAlive(pid)) process.kill(pid, 'SIGCONT');
  };
  onTestFinished(release);
  return { release, client };
}

test('waits for orphaned backends to release the shared memory', async () => {
  const directory = await newDirectory();
  const earlier = await startElsewhere(directory);
  const backend = await orphan(directory);
  await kill(earlier.child, 'SIGKILL');
  process.kill(await serverPid(directory), 'SIGKILL');
  const order: string[] = [];
  setTimeout(() => {
    order.push('released');
    backend.release();
  }, 1_500);
  const server = await start(directory);
  order.push('started');
  expect(order).toEqual(['released', 'started']);
  expect(server.adopted).toBe(false);
});

test('a stop in the middle of a restart leaves nothing running', async () => {
  const directory = await newDirectory();
  const onRestart = vi.fn();
  const logged: string[] = [];
  const log = { ...silentLog, error: (message: string) => void logged.push(message) };
  const server = await start(directory, { onRestart, log });
  const backend = await orphan(directory);
  process.kill(await serverPid(directory), 'SIGKILL');
  await until(() => logged.includes('postgres stopped unexpectedly'));
  await server.stop();
  // The stop did not wait until the restart gave up on the shared memory that the backend still holds.
  expect(logged).toEqual(['postgres stopped unexpectedly']);
  backend.release();
  await sleep(500);
  expect(onRestart).not.toHaveBeenCalled();
  await expect(query(server.owner, 'SELECT 1')).rejects.toThrow();
});

test('the server does not keep the daemon alive, nor the daemon the server', async () => {
  const directory = await newDirectory();
  const holder = await startElsewhere(directory, { leave: true });
  await until(() => holder.child.exitCode !== null);
  expect(holder.child.exitCode).toBe(0);
  expect(await query(holder.connection, 'SELECT 1')).toEqual([1]);
});

test.skipIf(process.platform !== 'linux')('Ctrl-C does not reach the server', async () => {
  const directory = await newDirectory();
  await start(directory);
  const pid = await serverPid(directory);
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  const [, , group, session] = fields.map(Number);
  expect([group, session]).toEqual([pid, pid]);
});

test('a daemon that is stopped stops its server', async () => {
  const directory = await newDirectory();
  const holder = await startElsewhere(directory);
  await kill(holder.child, 'SIGTERM');
  expect(holder.child.exitCode).toBe(0);
  expect(await serverPid(directory).catch(() => 'none')).toBe('none');
});
