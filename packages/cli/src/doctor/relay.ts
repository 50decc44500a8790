// Checks of Relay itself, from its files and, where it runs, from the daemon.
import { readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { HealthCheck } from '@relay/core/api/status';
import { clientOf } from '../api.ts';
import { type Config, readSettings, settingsPath } from '../config.ts';
import type { Daemon } from '../daemon.ts';
import { failureOf } from '../failure.ts';
import { broken, doubtful, well } from './check.ts';

export function checkHome(home: string): HealthCheck {
  const found = statSync(home, { throwIfNoEntry: false });
  if (found === undefined) return well('home', `${home} is made at the first start.`);
  if (!found.isDirectory()) {
    return broken('home', `${home} is not a directory.`, 'Choose another home with RELAY_HOME.');
  }
  if (process.getuid === undefined) return well('home', `${home}.`);
  if (found.uid !== process.getuid()) {
    const mend = `Run \`chown -R $(id -u) "${home}"\` as root, or choose another home with RELAY_HOME.`;
    return broken('home', `${home} belongs to another user (uid ${found.uid}).`, mend);
  }
  const open = readable(home, found.mode);
  return open.length === 0
    ? well('home', `${home}, closed to others.`)
    : doubtful(
        'home',
        `Others can read ${open.join(', ')}.`,
        '`relay stop` and `relay start` mend it.',
      );
}

function readable(home: string, mode: number): string[] {
  const open = (mode & 0o077) === 0 ? [] : [home];
  for (const entry of readdirSync(home, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const found = statSync(join(home, entry.name), { throwIfNoEntry: false });
    if (found !== undefined && (found.mode & 0o077) !== 0) open.push(entry.name);
  }
  return open;
}

export function checkDaemon(daemon: Daemon): HealthCheck {
  if (daemon.state === 'running') return well('daemon', `Running (PID ${daemon.pid}).`);
  if (daemon.state === 'starting') return well('daemon', `Starting (PID ${daemon.pid}).`);
  return daemon.stalePid === null
    ? doubtful('daemon', 'Not running.', 'Run `relay start`.')
    : doubtful(
        'daemon',
        `Not running; the last one (PID ${daemon.stalePid}) ended without stopping.`,
        'Run `relay start`; it recovers by itself.',
      );
}

export async function checkSettings(config: Config): Promise<HealthCheck> {
  const file = settingsPath(config.home);
  // The daemon's own schema, loaded here alone: it takes longer than most commands.
  const { faultIn } = await import('@relay/core/settings-listed');
  const { settings, fault: unreadable } = readSettings(config.home);
  const fault = unreadable ?? faultIn(settings);
  return fault === null
    ? well('settings', 'In order.')
    : broken('settings', `${file}: ${fault}.`, 'Mend it or remove it.');
}

export function checkModelKey({ modelKey, keyless }: Config): HealthCheck {
  if (modelKey !== null) return well('model key', `Found in ${modelKey}.`);
  if (keyless !== null) return well('model key', `None; ${keyless} works without.`);
  return doubtful(
    'model key',
    'None found: agents cannot answer.',
    'Run `relay init --api-key`, or set ANTHROPIC_API_KEY or OPENAI_API_KEY.',
  );
}

/** What only the daemon can know; from the files when it does not run. */
export async function askDaemon(
  config: Config,
  daemon: Daemon,
  full: boolean,
): Promise<HealthCheck[]> {
  if (daemon.state !== 'running') return [await checkDatabase(config)];
  try {
    return (await clientOf(config.home).get('/api/doctor', { query: full ? { full: 'true' } : {} }))
      .checks;
  } catch (error) {
    const { message } = failureOf(error);
    return [
      broken('daemon', `It does not answer: ${message}`, 'Run `relay stop`, then `relay start`.'),
    ];
  }
}

async function checkDatabase({ home, databaseUrl }: Config): Promise<HealthCheck> {
  if (databaseUrl !== null) return checkServer(databaseUrl);
  const made = statSync(join(home, 'postgres'), { throwIfNoEntry: false });
  return made === undefined
    ? well('database', 'The private PostgreSQL is set up at the first start.')
    : well('database', 'The private PostgreSQL starts with the daemon.');
}

async function checkServer(databaseUrl: string): Promise<HealthCheck> {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : null;
  if (url === null) {
    const mend = 'Write it as postgres://user:password@host:5432/database.';
    return broken('database', 'DATABASE_URL is not an address.', mend);
  }
  // A Unix socket has no host to knock at.
  if (url.hostname === '') return well('database', 'DATABASE_URL names a local socket.');
  const port = Number(url.port || 5432);
  return (await answers(url.hostname, port))
    ? well('database', `A server answers at ${url.hostname}:${port}.`)
    : broken(
        'database',
        `Nothing answers at ${url.hostname}:${port}.`,
        'Start the server, or correct DATABASE_URL.',
      );
}

function answers(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port, timeout: 3_000 });
  const end = (answer: boolean) => {
    socket.destroy();
    resolve(answer);
  };
  socket.once('connect', () => end(true));
  socket.once('error', () => end(false));
  socket.once('timeout', () => end(false));
  return promise;
}
