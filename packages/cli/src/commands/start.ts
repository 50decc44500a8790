// `relay start`: spawns the daemon and waits on a pipe until it is ready or says why not.
// The daemon outlives this process; nothing of the pipe protocol reaches standard output.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { RelayError } from '@relay/core/errors';
import type { Run } from '../command.ts';
import { type Config, daemonEnvironment } from '../config.ts';
import { findDaemon } from '../daemon.ts';
import { StartFailure } from '../failure.ts';
import { DAEMON, untilEnded, untilReady } from '../starting.ts';
import type { Terminal } from '../terminal.ts';

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

/** The terminal sends Ctrl-C to both; this process only waits for the daemon to finish. */
async function ended(daemon: ChildProcess): Promise<number> {
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => daemon.kill('SIGTERM'));
  await untilEnded(daemon);
  return daemon.exitCode ?? 1;
}
