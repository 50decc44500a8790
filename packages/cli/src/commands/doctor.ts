// `relay doctor`: runs every check and shows what was found and how to fix it. Works without a daemon.

import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { HealthCheck } from '@relay/contract/api/status';
import { longTimeoutClientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { type CliConfig, daemonEnvironment, readHomeSettings, settingsPath } from '../config.ts';
import { DAEMON_MAIN_FILE } from '../daemon-process.ts';
import { toCommandFailure } from '../failure.ts';
import { formatCount, formatDuration, toPrintable } from '../format.ts';
import { type Daemon, findDaemon } from '../running-daemon.ts';
import type { Terminal } from '../terminal.ts';

export const runDoctorCommand: RunCommand = async ({ config, terminal, options }) => {
  const daemon = findDaemon(config.home);
  const local = [
    checkNode(process.versions.node),
    checkHome(config.home),
    await checkSettings(config),
    checkDaemon(daemon),
    ...(daemon.state === 'running' ? [checkPort(daemon.port)] : []),
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

// Checks of the machine: Node and the clock.

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

// Checks of Relay itself, from its files and from the running daemon.

const checkPort = (port: number): HealthCheck =>
  passedCheck('port', `The daemon listens on 127.0.0.1:${port}.`);

/** Whether others can read it; the daemon's code checks whether Relay can use it. */
function checkHome(home: string): HealthCheck {
  const found = statSync(home, { throwIfNoEntry: false });
  if (found === undefined) return passedCheck('home', `${home} is created at the first start.`);
  if (process.getuid === undefined) return passedCheck('home', `${home}.`);
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
  try {
    for (const entry of readdirSync(home, { withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const found = statSync(join(home, entry.name), { throwIfNoEntry: false });
      if (found !== undefined && (found.mode & 0o077) !== 0) open.push(entry.name);
    }
  } catch {
    // Not a directory of this user: a finding of the daemon's code.
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
    'Run `relay init`, or set ANTHROPIC_API_KEY or OPENAI_API_KEY.',
  );
}

/** What only the daemon's code knows. */
async function loadDaemonChecks(
  config: CliConfig,
  daemon: Daemon,
  full: boolean,
): Promise<HealthCheck[]> {
  if (daemon.state !== 'running') return checkStart(config.home);
  try {
    const query = full ? { full: 'true' as const } : {};
    return (await longTimeoutClientOf(config.home).get('/api/doctor', { query })).checks;
  } catch (error) {
    const { sentence, action = 'Run `relay stop`, then `relay start`.' } = toCommandFailure(error);
    return [failedCheck('daemon', `The daemon cannot check itself: ${sentence}`, action)];
  }
}

/** Runs the daemon's program, which checks what would stop a start instead of starting. */
async function checkStart(home: string): Promise<HealthCheck[]> {
  const env = { ...daemonEnvironment(), RELAY_HOME: home };
  try {
    const args = [DAEMON_MAIN_FILE, '--check'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 60_000 });
    return (JSON.parse(stdout) as { checks: HealthCheck[] }).checks;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    const reason = stderr?.trim().split('\n').at(-1) || (error as Error).message;
    return [
      failedCheck('start', `The start could not be checked: ${reason}`, 'Install Relay again.'),
    ];
  }
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
