// `relay start`: spawns the daemon and waits on a pipe until it is ready or says why not.
// The daemon outlives this process; nothing of the pipe protocol reaches standard output.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { RelayError } from '@relay/core/errors';
import type { Run } from '../command.ts';
import { type Config, daemonEnvironment } from '../config.ts';
import { findDaemon } from '../daemon.ts';
import { StartFailure } from '../failure.ts';
import type { Terminal } from '../terminal.ts';

/** Without a word for this long, a start is given up. */
const PATIENCE_MS = 60_000;
const DAEMON = fileURLToPath(new URL('../daemon/main.js', import.meta.url));

interface Report {
  readonly progress?: string;
  readonly ready?: { readonly pid: number; readonly port: number };
  readonly failed?: { readonly code: string; readonly message: string; readonly exit: number };
}

export const run: Run = async ({ config, terminal, options }) => {
  const running = alreadyRunning(config, terminal);
  if (running) return 0;
  const foreground = options.foreground === true;
  const daemon = launch(config, foreground);
  try {
    terminal.progress('Starting the daemon …');
    const { pid, port } = await untilReady(daemon, terminal);
    const url = `http://127.0.0.1:${port}`;
    if (terminal.json) terminal.give({ running: true, already_running: false, pid, port, url });
    else {
      terminal.say(`Relay is running (PID ${pid}) at ${url}`);
      terminal.say('`relay open` signs you in; `relay status` shows how it is.');
    }
  } catch (error) {
    // Somebody else started one in the meantime.
    const lost = error instanceof StartFailure && error.code === 'home_in_use';
    if (lost && alreadyRunning(config, terminal)) return 0;
    throw error;
  }
  if (!foreground) {
    daemon.unref();
    return 0;
  }
  return ended(daemon);
};

function alreadyRunning(config: Config, terminal: Terminal): boolean {
  const daemon = findDaemon(config.home);
  if (daemon.state === 'none') return false;
  const port = daemon.state === 'running' ? daemon.port : null;
  if (terminal.json) {
    terminal.give({ running: true, already_running: true, pid: daemon.pid, port });
  } else terminal.say(new RelayError('daemon_already_running', { pid: daemon.pid }).message);
  return true;
}

function launch(config: Config, foreground: boolean): ChildProcess {
  const args = [DAEMON, '--ready-fd', '3'];
  // The daemon inherits it: whatever it or Node writes is for the owner alone.
  process.umask(0o077);
  const env = {
    ...daemonEnvironment(),
    RELAY_HOME: config.home,
    // What Node compiled at the last start it need not compile again.
    NODE_COMPILE_CACHE: join(config.home, 'cache'),
  };
  if (foreground) {
    return spawn(process.execPath, args, {
      stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
      env,
    });
  }
  const out = openOutput(config.home);
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

/** What a daemon says before its log is open, or as it crashes, is shown by `relay logs`. */
function openOutput(home: string): number {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    return openSync(join(home, 'daemon.out'), 'w', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'EEXIST' || code === 'ENOTDIR' ? 'it is not a directory.' : `${code}.`;
    throw new RelayError('home_unusable', { home, reason }, { cause: error });
  }
}

async function untilReady(
  daemon: ChildProcess,
  terminal: Terminal,
): Promise<NonNullable<Report['ready']>> {
  const silence = setTimeout(() => daemon.kill('SIGTERM'), PATIENCE_MS);
  const pipe = daemon.stdio[3] as Readable;
  try {
    for await (const line of createInterface({ input: pipe })) {
      silence.refresh();
      const { progress, ready, failed } = JSON.parse(line) as Report;
      if (progress !== undefined) terminal.progress(progress);
      if (failed !== undefined) throw new StartFailure(failed.code, failed.message, failed.exit);
      if (ready !== undefined) return ready;
    }
    const reason = await ending(daemon);
    throw new RelayError('daemon_start_failed', { reason });
  } finally {
    clearTimeout(silence);
    pipe.destroy();
  }
}

async function ending(daemon: ChildProcess): Promise<string> {
  if (daemon.exitCode === null && daemon.signalCode === null) await once(daemon, 'exit');
  return daemon.signalCode === null
    ? `it ended with code ${daemon.exitCode}.`
    : `it was ended by ${daemon.signalCode}.`;
}

/** The terminal sends Ctrl-C to both; this process only waits for the daemon to finish. */
async function ended(daemon: ChildProcess): Promise<number> {
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => daemon.kill('SIGTERM'));
  if (daemon.exitCode === null && daemon.signalCode === null) await once(daemon, 'exit');
  return daemon.exitCode ?? 1;
}
