// Starts, awaits and stops the daemon of a home, in this terminal or in the background.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DrillReport } from '@relay/contract/api/backups';
import { ERRORS, RelayError } from '@relay/contract/errors';
import { DAEMON_NODE_FLAGS } from '@relay/core/installation';
import { type CliConfig, daemonEnvironment } from './config.ts';
import { StartFailure } from './failure.ts';
import { findDaemon, isProcessRunning } from './running-daemon.ts';
import type { Terminal } from './terminal.ts';

/** How long to wait for a daemon that another process started. */
const OTHER_START_TIMEOUT_MS = 60_000;

/** A process that does only a part: its arguments, and its port if one was asked for. */
interface DaemonPart {
  readonly args: readonly string[];
  readonly port: number | null;
}

export function launchDaemon(
  config: CliConfig,
  foreground: boolean,
  part: DaemonPart = { args: [], port: null },
): ChildProcess {
  const how = foreground ? ['--log-stdout'] : [];
  const args = [...DAEMON_NODE_FLAGS, DAEMON_MAIN_FILE, ...part.args, '--ready-fd', '3', ...how];
  const env = {
    ...environmentFor(config),
    ...(part.port === null ? {} : { RELAY_PORT: String(part.port) }),
  };
  if (foreground) {
    return spawn(process.execPath, args, {
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
      env,
    });
  }
  const out = openDaemonOutput(config.home);
  try {
    return spawn(process.execPath, args, {
      detached: true,
      stdio: ['ignore', out, out, 'pipe'],
      cwd: config.home,
      env,
    });
  } finally {
    closeSync(out);
  }
}

function environmentFor(config: CliConfig): NodeJS.ProcessEnv {
  // The daemon inherits this umask: files that it or Node writes are readable by the owner only.
  process.umask(0o077);
  return {
    // Lets Node reuse compiled code from the last start; a value that is already set takes precedence.
    NODE_COMPILE_CACHE: join(config.home, 'cache'),
    ...daemonEnvironment(),
    RELAY_HOME: config.home,
  };
}

/** Restores a backup in a process of its own, beside a daemon that may run. An empty file means the newest backup. */
export async function runDrill(
  config: CliConfig,
  file: string,
  terminal: Terminal,
): Promise<DrillReport> {
  const child = spawn(process.execPath, [DAEMON_MAIN_FILE, '--drill', file, '--ready-fd', '3'], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    env: environmentFor(config),
  });
  const forward = () => child.kill('SIGTERM');
  process.once('SIGTERM', forward);
  try {
    for await (const line of createInterface({ input: child.stdio[3] as Readable })) {
      const { progress, failed, drilled } = JSON.parse(line) as StartReport;
      if (progress !== undefined) terminal.progress(`${progress} …`);
      if (failed !== undefined) throw new StartFailure(failed.code, failed.message, failed.exit);
      if (drilled !== undefined) return drilled;
    }
    await waitForDaemonExit(child);
    throw new RelayError('daemon_start_failed', { reason: describeDaemonExit(child) });
  } finally {
    process.off('SIGTERM', forward);
    await waitForDaemonExit(child);
  }
}

/** Output from before the log is open, or from a crash, goes to a file that `relay logs` shows. */
function openDaemonOutput(home: string): number {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    return openSync(join(home, 'daemon.out'), 'w', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'EEXIST' || code === 'ENOTDIR' ? 'it is not a directory.' : `${code}.`;
    throw new RelayError('home_unusable', { home, reason }, { cause: error });
  }
}

/** Resolves once a daemon of this home answers; starts one in the background if there is none. */
export async function ensureDaemon(config: CliConfig, terminal: Terminal): Promise<void> {
  if (findDaemon(config.home).state === 'none') {
    terminal.progress('Starting the daemon …');
    try {
      const daemon = launchDaemon(config, false);
      await waitForDaemonReady(daemon, terminal);
      daemon.unref();
    } catch (error) {
      // Another process started a daemon in the meantime.
      if (!(error instanceof StartFailure) || error.code !== 'home_in_use') throw error;
    }
  }
  const until = Date.now() + OTHER_START_TIMEOUT_MS;
  while (findDaemon(config.home).state === 'starting') {
    if (Date.now() > until) throw new RelayError('daemon_not_ready');
    await sleep(50);
  }
}

// Waits for a daemon that was just spawned: JSON lines on its fourth descriptor report progress, and end with `ready`
// or the reason of a failure.

/** A start without any output for this long has failed. */
const START_SILENCE_LIMIT_MS = 60_000;

export const DAEMON_MAIN_FILE = fileURLToPath(new URL('../daemon/main.js', import.meta.url));

interface StartReport {
  readonly progress?: string;
  readonly notice?: string;
  readonly ready?: { readonly pid: number; readonly port: number; readonly database?: string };
  readonly drilled?: DrillReport;
  readonly failed?: { readonly code: string; readonly message: string; readonly exit: number };
}

export async function waitForDaemonReady(
  daemon: ChildProcess,
  terminal: Terminal,
): Promise<NonNullable<StartReport['ready']>> {
  const silence = setTimeout(() => daemon.kill('SIGTERM'), START_SILENCE_LIMIT_MS);
  const pipe = daemon.stdio[3] as Readable;
  try {
    for await (const line of createInterface({ input: pipe })) {
      silence.refresh();
      const { progress, notice, ready, failed } = JSON.parse(line) as StartReport;
      if (progress !== undefined) terminal.progress(progress);
      if (notice !== undefined) terminal.notice(notice);
      if (failed !== undefined) throw new StartFailure(failed.code, failed.message, failed.exit);
      if (ready !== undefined) return ready;
    }
    await waitForDaemonExit(daemon);
    throw new RelayError('daemon_start_failed', { reason: describeDaemonExit(daemon) });
  } finally {
    clearTimeout(silence);
    pipe.destroy();
  }
}

export async function waitForDaemonExit(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode === null && daemon.signalCode === null) await once(daemon, 'exit');
}

/** How it exited, as the end of a sentence. */
export const describeDaemonExit = ({ exitCode, signalCode }: ChildProcess): string =>
  signalCode === null ? `it ended with code ${exitCode}.` : `it was ended by ${signalCode}.`;

// Stops the daemon of a home. The daemon removes its PID file last, so a missing PID file means that everything was
// flushed.

const STOP_TIMEOUT_SECONDS = 30;

interface StoppedDaemon {
  readonly pid: number;
  readonly flushed: boolean;
}

/** Null when none runs. */
export async function stopDaemon(
  home: string,
  onStopping: (pid: number) => void = () => {},
): Promise<StoppedDaemon | null> {
  const daemon = findDaemon(home);
  if (daemon.state === 'none') return null;
  const { pid } = daemon;
  onStopping(pid);
  process.kill(pid, 'SIGTERM');
  const end = await waitUntilGone(home, pid, STOP_TIMEOUT_SECONDS);
  return { pid, flushed: end.stalePid === null };
}

/** Longer than a daemon takes to stop: it ends itself by force after 50 s. */
const STOPPING_TIMEOUT_SECONDS = 60;
const PROBE_TIMEOUT_MS = 5_000;

/** Waits for the end of a daemon that is already stopping. Returns at once if none is. */
export async function waitForStoppingDaemon(home: string, terminal: Terminal): Promise<void> {
  const daemon = findDaemon(home);
  if (daemon.state !== 'running' || !(await isStopping(daemon.port))) return;
  terminal.progress(`Waiting for the daemon (PID ${daemon.pid}) to stop …`);
  await waitUntilGone(home, daemon.pid, STOPPING_TIMEOUT_SECONDS);
}

/**
 * The files of a daemon name its port until it has stopped. It refuses requests as soon as it stops, and then closes
 * the port. A daemon that does not answer counts as running.
 */
async function isStopping(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const probe = request({ host: '127.0.0.1', port, path: '/healthz', agent: false });
  probe.setTimeout(PROBE_TIMEOUT_MS, () => {
    resolve(false);
    probe.destroy();
  });
  probe.on('error', ({ code }: NodeJS.ErrnoException) =>
    resolve(code === 'ECONNREFUSED' || code === 'ECONNRESET'),
  );
  probe.on('response', (answer) => {
    answer.resume();
    resolve(answer.statusCode === ERRORS.daemon_stopping.status);
  });
  probe.end();
  return promise;
}

async function waitUntilGone(
  home: string,
  pid: number,
  seconds: number,
): Promise<{ stalePid: number | null }> {
  const until = Date.now() + seconds * 1_000;
  while (Date.now() < until) {
    const daemon = findDaemon(home);
    // The process still exists for a moment after it removed its PID file.
    if (daemon.state === 'none' && !isProcessRunning(pid)) {
      // Read again: it may have removed the file and ended after the file was read above.
      const last = findDaemon(home);
      return { stalePid: last.state === 'none' ? last.stalePid : null };
    }
    // A service manager may have started the next one already.
    if (daemon.state !== 'none' && daemon.pid !== pid) return { stalePid: null };
    await sleep(25);
  }
  throw new RelayError('daemon_stop_failed', { pid, seconds });
}
