// `relay start` and `relay stop`: start the daemon and print its address, or end it. A started daemon outlives this
// process, except with --foreground: then its log, JSON lines, goes to standard output for journald or a container, and
// sentences go to standard error. The pipe protocol never reaches standard output.
import type { ChildProcess } from 'node:child_process';
import { RelayError } from '@relay/contract/errors';
import type { RunCommand } from '../command.ts';
import type { CliConfig } from '../config.ts';
import {
  launchDaemon,
  stopDaemon,
  waitForDaemonExit,
  waitForDaemonReady,
  waitForStoppingDaemon,
} from '../daemon-process.ts';
import { StartFailure } from '../failure.ts';
import { findDaemon } from '../running-daemon.ts';
import type { Terminal } from '../terminal.ts';

export const startRelayCommand: RunCommand = async ({ config, terminal, options }) => {
  await waitForStoppingDaemon(config.home, terminal);
  const running = alreadyRunning(config, terminal);
  if (running) return 0;
  const foreground = options.foreground === true;
  const daemon = launchDaemon(config, foreground);
  try {
    terminal.progress('Starting the daemon …');
    const { pid, port } = await waitForDaemonReady(daemon, terminal);
    const url = `http://127.0.0.1:${port}`;
    const say = foreground ? terminal.notice : terminal.writeLine;
    if (terminal.json)
      terminal.writeJson({ running: true, already_running: false, pid, port, url });
    else {
      say(`Relay is running (PID ${pid}) at ${url}`);
      say('Sign in with `relay open`; check the state with `relay status`.');
    }
  } catch (error) {
    // Another process started a daemon in the meantime.
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

function alreadyRunning(config: CliConfig, terminal: Terminal): boolean {
  const daemon = findDaemon(config.home);
  if (daemon.state === 'none') return false;
  const port = daemon.state === 'running' ? daemon.port : null;
  if (terminal.json) {
    terminal.writeJson({ running: true, already_running: true, pid: daemon.pid, port });
  } else terminal.writeLine(new RelayError('daemon_already_running', { pid: daemon.pid }).message);
  return true;
}

/** The terminal sends Ctrl-C to both processes; this one only waits for the daemon to finish. */
async function ended(daemon: ChildProcess): Promise<number> {
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => daemon.kill('SIGTERM'));
  await waitForDaemonExit(daemon);
  return daemon.exitCode ?? 1;
}

// `relay stop`: asks the daemon to end, waits for it, and reports whether everything was flushed.

export const stopRelayCommand: RunCommand = async ({ config, terminal }) => {
  const stopped = await stopDaemon(config.home, (pid) =>
    terminal.progress(`Stopping the daemon (PID ${pid}) …`),
  );
  if (stopped === null) {
    if (terminal.json) terminal.writeJson({ stopped: false, running: false });
    else terminal.writeLine('The daemon is not running.');
    return 0;
  }
  const { pid, flushed } = stopped;
  if (terminal.json) terminal.writeJson({ stopped: true, running: false, pid, flushed });
  else if (flushed) terminal.writeLine('Stopped. All data is saved.');
  else {
    terminal.writeLine(
      'Stopped before it had finished. Acknowledged data is safe; the next `relay start` recovers the rest.',
    );
  }
  return 0;
};
