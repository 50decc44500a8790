// How a start connects to the database: never while imports block the event loop, and again after a temporary failure.
import { mkdtemp } from 'node:fs/promises';
import { createServer, connect as dial, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase, withDatabase } from '@relay/testing/postgres';
import { removeFolder } from '@relay/testing/remove-folder';
import pg from 'pg';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import type { BootContext } from './compose.ts';
import { loadConfig } from './config.ts';

/** Replaces the product's 10 s while the daemon is loaded. */
const SHORT_TIMEOUT_MS = 300;
const MOCKED = ['./compose.ts', './platform/db/database.ts'];

afterEach(() => {
  for (const module of MOCKED) vi.doUnmock(module);
  vi.resetModules();
});

/** `startDaemon` without compose.ts; `whileLoading` runs during its import. */
async function starter(whileLoading: () => Promise<void> = async () => {}) {
  let isLoaded = false;
  vi.resetModules();
  vi.doMock('./compose.ts', async () => {
    await whileLoading();
    isLoaded = true;
    const assemble = async (
      _options: unknown,
      _closers: unknown,
      { server, log }: BootContext,
    ) => ({
      ...{ port: 0, log, version: server.version },
    });
    return { assemble };
  });
  vi.doMock('./platform/db/database.ts', async (importOriginal) => {
    const original = await importOriginal<typeof import('./platform/db/database.ts')>();
    return {
      ...original,
      openDatabase: (...args: Parameters<typeof original.openDatabase>) => {
        const database = original.openDatabase(...args);
        if (!isLoaded) database.pool.options.connectionTimeoutMillis = SHORT_TIMEOUT_MS;
        return database;
      },
    };
  });
  const { startDaemon } = await import('./daemon.ts');
  return async (url: string) => {
    const folder = await mkdtemp(join(tmpdir(), 'relay-start-'));
    onTestFinished(() => removeFolder(folder));
    const home = join(folder, 'home');
    const config = loadConfig({
      ...{ RELAY_HOME: home, RELAY_PORT: '0', RELAY_KEY_FILE: `${home}.key`, HOME: folder },
      DATABASE_URL: url,
    });
    const daemon = await startDaemon({ config, webDirectory: null });
    await daemon.stop();
    return daemon;
  };
}

/** The test server behind a proxy; `admit` decides about each connection, numbered from 1. */
async function behindProxy(admit: (nth: number, socket: Socket) => Promise<boolean>) {
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  const { host, port, user, password, database } = new pg.Client({ connectionString: url });
  const target = host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port };
  const seen = { connections: 0 };
  const sockets = new Set<Socket>();
  const proxy = createServer(async (socket) => {
    sockets.add(socket.on('error', () => {}));
    seen.connections += 1;
    if (!(await admit(seen.connections, socket))) return;
    const server = dial(target).on('error', () => {});
    sockets.add(server);
    socket.pipe(server).pipe(socket);
    // A side that closes without an end would leave the other one waiting.
    socket.on('close', () => server.destroy());
    server.on('close', () => socket.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const through = new URL(`postgres://127.0.0.1:${address.port}/${database}`);
  through.username = user ?? '';
  through.password = String(password ?? '');
  return { seen, url: through.href };
}

const blockEventLoop = (ms: number) =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('connects once the daemon is loaded, however long loading blocks the event loop', async () => {
  const order: string[] = [];
  const loaded = Promise.withResolvers<void>();
  const connecting = Promise.withResolvers<void>();
  const { url } = await behindProxy(async () => {
    order.push('connected');
    connecting.resolve();
    await loaded.promise;
    return true;
  });
  const start = await starter(async () => {
    // Long enough for a connection attempt to begin, if there were one.
    await Promise.race([connecting.promise, sleep(200)]);
    blockEventLoop(3 * SHORT_TIMEOUT_MS);
    order.push('loaded');
    loaded.resolve();
  });
  expect(await start(url)).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+/) });
  expect(order).toEqual(['loaded', 'connected']);
});

test('connects again after broken connections', async () => {
  const { url, seen } = await behindProxy(async (nth, socket) => {
    if (nth < 3) socket.destroy();
    return nth >= 3;
  });
  const start = await starter();
  await start(url);
  expect(seen.connections).toBe(3);
});

test('a database that does not exist fails the start at the first attempt, with its reason', async () => {
  const { url, seen } = await behindProxy(async () => true);
  const start = await starter();
  await expect(start(withDatabase(url, 'nowhere'))).rejects.toMatchObject({
    code: 'database_missing',
    message: expect.stringContaining('has no database "nowhere"'),
  });
  expect(seen.connections).toBe(1);
});
