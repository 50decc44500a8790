// Spawns the daemon of a home: in this terminal, or in the background for whoever needs one.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RelayError } from '@relay/core/errors';
import { type Config, daemonEnvironment } from './config.ts';
import { findDaemon } from './daemon.ts';
import { StartFailure } from './failure.ts';
import { DAEMON, untilReady } from './starting.ts';
import type { Terminal } from './terminal.ts';

/** How long a daemon that somebody else started may take. */
const PATIENCE_MS = 60_000;

export function launch(config: Config, foreground: boolean): ChildProcess {
  const args = [DAEMON, '--ready-fd', '3'];
  // The daemon inherits it: whatever it or Node writes is for the owner alone.
  process.umask(0o077);
  const env = {
    // What Node compiled at the last start it need not compile again; whoever has a place for that keeps it.
    NODE_COMPILE_CACHE: join(config.home, 'cache'),
    ...daemonEnvironment(),
    RELAY_HOME: config.home,
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
