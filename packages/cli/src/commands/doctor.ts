// `relay doctor`: runs every check and shows what was found and how to fix it. Works without a daemon.

import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { HealthCheck } from '@relay/contract/api/status';
import { clientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { type CliConfig, readHomeSettings, settingsPath } from '../config.ts';
import { toCommandFailure } from '../failure.ts';
import { formatBytes, formatCount, formatDuration, toPrintable } from '../format.ts';
import { type Daemon, findDaemon } from '../running-daemon.ts';
import type { Terminal } from '../terminal.ts';

export const runDoctorCommand: RunCommand = async ({ config, terminal, options }) => {
  const daemon = findDaemon(config.home);
  const local = [
    checkNode(process.versions.node),
    checkHome(config.home),
    await checkSettings(config),
    checkDaemon(daemon),
    await checkPort(config, daemon),
    checkDisk(config.home),
    checkClock(config.home, Date.now()),
    checkModelKey(config),
  ];
  const checks = mergeChecks(local, await loadDaemonChecks(config, daemon, options.full === true));
  const failed = checks.filter((check) => check.ok === 'no').length;
  if (terminal.json) terminal.writeJson({ ok: failed === 0, checks });
  else for (const line of formatChecks(checks, terminal.colours)) terminal.writeLine(line);
  return failed === 0 ? 0 : 1;
};

/** Of two checks with the same name the more serious result is shown: each side can see what the other cannot. */
export function mergeChecks(local: HealthCheck[], remote: readonly HealthCheck[]): HealthCheck[] {
  const grave = { yes: 0, warn: 1, no: 2 };
  const merged = new Map(local.map((check) => [check.name, check]));
  for (const check of remote) {
    const known = merged.get(check.name);
    if (!known || grave[check.ok] > grave[known.ok]) merged.set(check.name, check);
  }
  return [...merged.values()];
}

export function formatChecks(
  checks: readonly HealthCheck[],
  colours: Terminal['colours'],
): string[] {
  const signs = { yes: colours.green('✓'), warn: colours.yellow('!'), no: colours.red('✗') };
  const width = Math.max(...checks.map((check) => check.name.length));
  const lines = checks.flatMap((check) => {
    const line = `${signs[check.ok]} ${check.name.padEnd(width)}  ${toPrintable(check.found)}`;
    return check.mend === null
      ? [line]
      : [line, `  ${' '.repeat(width)}  → ${toPrintable(check.mend)}`];
  });
  const problems = checks.filter((check) => check.ok === 'no').length;
  const warnings = checks.filter((check) => check.ok === 'warn').length;
  const verdict =
    problems > 0
      ? `${formatCount(problems, 'problem')} to fix.`
      : warnings > 0
        ? `No problems, ${formatCount(warnings, 'warning')}.`
        : 'No problems found.';
  return [...lines, '', verdict];
}

// Checks of the machine: Node, the clock, the disk, the port.

/** A correct clock cannot show a time before this release. */
const RELEASE_DATE_MS = Date.UTC(2026, 10, 1);

export function checkNode(version: string): HealthCheck {
  const major = Number(version.split('.')[0]);
  return major >= 24
    ? passedCheck('node', `Node ${version}.`)
    : failedCheck('node', `Node ${version}.`, 'Install Node 24 or newer.');
}

export function checkClock(home: string, now: number): HealthCheck {
  const fix = 'Set the clock, or turn on automatic time: `timedatectl set-ntp true` on Linux.';
  if (now < RELEASE_DATE_MS)
    return failedCheck('clock', `The clock shows ${new Date(now).toISOString()}.`, fix);
  const written = statSync(join(home, 'relay.log'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const behind = (written - now) / 1_000;
  if (behind > 60) {
    const found = `The clock is ${formatDuration(behind)} behind the last line of the log.`;
    return warningCheck('clock', found, fix);
  }
  return passedCheck('clock', `${new Date(now).toISOString().slice(0, 19)}Z.`);
}

function checkDisk(home: string): HealthCheck {
  let at = home;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  const { bavail, bsize } = statfsSync(at);
  const free = bavail * bsize;
  const found = `${formatBytes(free)} free.`;
  if (free < 100_000_000)
    return failedCheck('disk', found, 'Free at least 1 GB; Relay cannot save data.');
  if (free < 1_000_000_000) return warningCheck('disk', found, 'Free at least 1 GB.');
  return passedCheck('disk', found);
}

async function checkPort(config: CliConfig, daemon: Daemon): Promise<HealthCheck> {
  if (daemon.state === 'running') {
    return passedCheck('port', `The daemon listens on 127.0.0.1:${daemon.port}.`);
  }
  const free = await isFree(config.port);
  return free
    ? passedCheck('port', `Port ${config.port} is free.`)
    : failedCheck(
        'port',
        `Port ${config.port} is in use by another program.`,
        `Stop it, or set "daemon_port" in ${settingsPath(config.home)}.`,
      );
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', () => resolve(false));
  server.listen({ port, host: '127.0.0.1', exclusive: true }, () =>
    server.close(() => resolve(true)),
  );
  return promise;
}

// Checks of Relay itself, from its files and from the running daemon.

function checkHome(home: string): HealthCheck {
  const found = statSync(home, { throwIfNoEntry: false });
  if (found === undefined) return passedCheck('home', `${home} is created at the first start.`);
  if (!found.isDirectory()) {
    return failedCheck(
      'home',
      `${home} is not a directory.`,
      'Choose another home with RELAY_HOME.',
    );
  }
  if (process.getuid === undefined) return passedCheck('home', `${home}.`);
  if (found.uid !== process.getuid()) {
    const fix = `Run \`chown -R $(id -u) "${home}"\` as root, or choose another home with RELAY_HOME.`;
    return failedCheck('home', `${home} belongs to another user (uid ${found.uid}).`, fix);
  }
  const open = readable(home, found.mode);
  return open.length === 0
    ? passedCheck('home', `${home}, readable only by you.`)
    : warningCheck(
        'home',
        `Others can read ${open.join(', ')}.`,
        'Run `relay stop`, then `relay start`.',
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

function checkDaemon(daemon: Daemon): HealthCheck {
  if (daemon.state === 'running') return passedCheck('daemon', `Running (PID ${daemon.pid}).`);
  if (daemon.state === 'starting') return passedCheck('daemon', `Starting (PID ${daemon.pid}).`);
  return daemon.stalePid === null
    ? warningCheck('daemon', 'Not running.', 'Run `relay start`.')
    : warningCheck(
        'daemon',
        `Not running; the last daemon (PID ${daemon.stalePid}) did not shut down properly.`,
        'Run `relay start`; it recovers automatically.',
      );
}

export async function checkSettings(config: CliConfig): Promise<HealthCheck> {
  const file = settingsPath(config.home);
  // The daemon's schema takes longer to load than most commands run, so only this check loads it.
  const { faultIn } = await import('@relay/contract/settings-catalog');
  const { settings, fault: unreadable } = readHomeSettings(config.home);
  const fault = unreadable ?? faultIn(settings);
  return fault === null
    ? passedCheck('settings', 'Valid.')
    : failedCheck('settings', `${file}: ${fault}.`, 'Fix it or remove it.');
}

function checkModelKey({ modelKey, keylessProvider }: CliConfig): HealthCheck {
  if (modelKey !== null) return passedCheck('model key', `Found in ${modelKey}.`);
  if (keylessProvider !== null)
    return passedCheck('model key', `None; ${keylessProvider} needs no key.`);
  return warningCheck(
    'model key',
    'None found: agents cannot answer.',
    'Run `relay init --api-key`, or set ANTHROPIC_API_KEY or OPENAI_API_KEY.',
  );
}

/** What only the daemon knows; read from the files when it does not run. */
async function loadDaemonChecks(
  config: CliConfig,
  daemon: Daemon,
  full: boolean,
): Promise<HealthCheck[]> {
  if (daemon.state !== 'running') return [await checkDatabase(config)];
  try {
    return (await clientOf(config.home).get('/api/doctor', { query: full ? { full: 'true' } : {} }))
      .checks;
  } catch (error) {
    const { message } = toCommandFailure(error);
    return [
      failedCheck(
        'daemon',
        `The daemon does not answer: ${message}`,
        'Run `relay stop`, then `relay start`.',
      ),
    ];
  }
}

async function checkDatabase({ home, databaseUrl }: CliConfig): Promise<HealthCheck> {
  if (databaseUrl !== null) return checkServer(databaseUrl);
  const made = statSync(join(home, 'postgres'), { throwIfNoEntry: false });
  return made === undefined
    ? passedCheck('database', 'The private PostgreSQL is set up at the first start.')
    : passedCheck('database', 'The private PostgreSQL starts with the daemon.');
}

async function checkServer(databaseUrl: string): Promise<HealthCheck> {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : null;
  if (url === null) {
    const fix = 'Use the form postgres://user:password@host:5432/database.';
    return failedCheck('database', 'DATABASE_URL is not an address.', fix);
  }
  // A Unix socket has no host to connect to.
  if (url.hostname === '') return passedCheck('database', 'DATABASE_URL is a local socket.');
  const port = Number(url.port || 5432);
  return (await answers(url.hostname, port))
    ? passedCheck('database', `A server answers at ${url.hostname}:${port}.`)
    : failedCheck(
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

// Text of a check: what was found and, if needed, how to fix it.

export const passedCheck = (name: string, found: string): HealthCheck => ({
  name,
  ok: 'yes',
  found,
  mend: null,
});

export const warningCheck = (name: string, found: string, mend: string): HealthCheck => ({
  name,
  ok: 'warn',
  found,
  mend,
});

export const failedCheck = (name: string, found: string, mend: string): HealthCheck => ({
  name,
  ok: 'no',
  found,
  mend,
});
