// Spawns the daemon and waits on a pipe until it is ready or says why not. The daemon outlives this
// process; nothing of the pipe protocol reaches standard output.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RelayError } from '@relay/core/errors';
import { type Config, daemonEnvironment } from './config.ts';
import { findDaemon } from './daemon.ts';
import { StartFailure } from './failure.ts';
import type { Terminal } from './terminal.ts';

/** Without a word for this long, a start is given up. */
const PATIENCE_MS = 60_000;
const DAEMON = fileURLToPath(new URL('../daemon/main.js', import.meta.url));

interface Report {
  readonly progress?: string;
  readonly ready?: { readonly pid: number; readonly port: number };
  readonly failed?: { readonly code: string; readonly message: string; readonly exit: number };
}

export function launch(config: Config, foreground: boolean): ChildProcess {
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

export async function untilReady(
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

/** Resolves once a daemon of this home answers; starts one in the background if there is none. */
export async function ensureDaemon(config: Config, terminal: Terminal): Promise<void> {
  if (findDaemon(config.home).state === 'none') {
    terminal.progress('Starting the daemon …');
    try {
      const daemon = launch(config, false);
      await untilReady(daemon, terminal);
      daemon.unref();
    } catch (error) {
      // Somebody else started one in the meantime.
      if (!(error instanceof StartFailure) || error.code !== 'home_in_use') throw error;
    }
  }
  const until = Date.now() + PATIENCE_MS;
  while (findDaemon(config.home).state === 'starting') {
    if (Date.now() > until) throw new RelayError('daemon_not_ready');
    await sleep(50);
  }
}
