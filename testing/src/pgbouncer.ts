// A PgBouncer in transaction mode in front of one database of the tests' server, with the configuration that
// compose.fleet.yaml ships. Invariant: after `stop`, no process and no file of it is left.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readConfigs } from './containers/compose-file.ts';
import { freePort } from './free-port.ts';
import { removeFolder } from './remove-folder.ts';

/** Installs PgBouncer where there is none and it can. */
const FIND = resolve(import.meta.dirname, '../../scripts/pgbouncer');
const COMPOSE = resolve(import.meta.dirname, '../../compose.fleet.yaml');

export interface PgBouncer {
  /** The database through the pooler, as the same role. */
  readonly url: string;
  /** Rows of one of its SHOW commands, without those of its own console. */
  show(what: 'POOLS' | 'CLIENTS' | 'SERVERS'): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

interface PgBouncerOptions {
  /** Connections to the server for each role. */
  readonly poolSize: number;
  /** Changes the shipped configuration. */
  readonly change?: (shipped: string) => string;
}

export async function startPgBouncer(
  url: string,
  { poolSize, change = (shipped) => shipped }: PgBouncerOptions,
): Promise<PgBouncer> {
  const program = execFileSync(FIND, { encoding: 'utf8' }).trim();
  const to = new URL(url);
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'relay-pgbouncer-'));
  const admin = { user: 'admin', password: randomBytes(12).toString('hex') };
  const bridge = await bridgeTo(to);
  const configs = readConfigs(COMPOSE, {
    RELAY_DB_HOST: '127.0.0.1',
    RELAY_DB_PORT: String(bridge.port),
    RELAY_DB_NAME: to.pathname.slice(1),
    RELAY_DB_DAEMON_PASSWORD: decodeURIComponent(to.password),
    RELAY_POOL_SIZE: String(poolSize),
  });
  const logfile = join(folder, 'log');
  const own = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    auth_file: join(folder, 'users.txt'),
    logfile,
    admin_users: admin.user,
  };
  const shipped = change(configs['pgbouncer.ini'] ?? '');
  const isOwn = (line: string) => Object.hasOwn(own, line.split(' = ')[0] ?? '');
  const ini = [
    ...shipped.split('\n').filter((line) => !isOwn(line)),
    ...Object.entries(own).map(([name, value]) => `${name} = ${value}`),
  ];
  const user = decodeURIComponent(to.username);
  const users = [
    `"${user}" "${decodeURIComponent(to.password)}"`,
    `"${admin.user}" "${admin.password}"`,
  ];
  await writeFile(join(folder, 'pgbouncer.ini'), `${ini.join('\n')}\n`);
  await writeFile(own.auth_file, `${users.join('\n')}\n`);
  // It refuses to run as root.
  const { uid, gid } = NOBODY;
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    for (const name of ['.', 'pgbouncer.ini', 'users.txt']) chownSync(join(folder, name), uid, gid);
  }
  const child = spawn(program, [join(folder, 'pgbouncer.ini')], {
    stdio: 'ignore',
    ...(isRoot ? { uid, gid } : {}),
  });
  const pooled = new URL(url);
  pooled.search = '';
  pooled.hostname = '127.0.0.1';
  pooled.port = String(port);
  const show = async (what: string) => {
    const client = new pg.Client({ host: '127.0.0.1', port, database: 'pgbouncer', ...admin });
    await client.connect();
    try {
      const { rows } = await client.query<Record<string, unknown>>(`SHOW ${what}`);
      return rows.filter(({ database }) => database !== 'pgbouncer');
    } finally {
      await client.end();
    }
  };
  const stop = async () => {
    await end(child);
    bridge.close();
    await removeFolder(folder);
  };
  for (let looks = 0; ; looks++) {
    try {
      await show('POOLS');
      return { url: pooled.href, show, stop };
    } catch (error) {
      if (looks < 100 && child.exitCode === null) await sleep(50);
      else {
        const log = await readFile(logfile, 'utf8').catch(() => String(error));
        await stop();
        throw new Error(`PgBouncer does not run: ${log}`);
      }
    }
  }
}

/** A loopback port to the server: only the server's own user may enter the folder of its socket. */
async function bridgeTo(url: URL): Promise<{ port: number; close(): void }> {
  const host = url.searchParams.get('host') ?? url.hostname;
  const port = Number(url.searchParams.get('port') ?? (url.port || 5432));
  const target = host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port };
  const server = createServer((client) => {
    const onward = connect(target);
    client.on('error', () => onward.destroy()).on('close', () => onward.destroy());
    onward.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.pipe(onward).pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

const NOBODY = { uid: 65_534, gid: 65_534 };

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
