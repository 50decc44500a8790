// Ends the daemon of a home, for `relay stop` and for whatever needs the home to itself. The daemon removes its PID file
// as its last act, so a PID file that is gone means that everything was flushed before.
import { setTimeout as sleep } from 'node:timers/promises';
import { RelayError } from '@relay/core/errors';
import { findDaemon, isRunning } from './daemon.ts';

const PATIENCE_SECONDS = 30;

export interface Stopped {
  readonly pid: number;
  readonly flushed: boolean;
}

/** Null where none runs. */
export async function stopDaemon(
  home: string,
  onStopping: (pid: number) => void = () => {},
): Promise<Stopped | null> {
  const daemon = findDaemon(home);
  if (daemon.state === 'none') return null;
  const { pid } = daemon;
  onStopping(pid);
  process.kill(pid, 'SIGTERM');
  const end = await gone(home, pid);
  return { pid, flushed: end.stalePid === null };
}

async function gone(home: string, pid: number): Promise<{ stalePid: number | null }> {
  const until = Date.now() + PATIENCE_SECONDS * 1_000;
  while (Date.now() < until) {
    const daemon = findDaemon(home);
    // Between removing its PID file and its end the daemon is still there.
    if (daemon.state === 'none' && !isRunning(pid)) return daemon;
    // A service manager may have started the next one already.
    if (daemon.state !== 'none' && daemon.pid !== pid) return { stalePid: null };
    await sleep(25);
  }
  throw new RelayError('daemon_stop_failed', { pid, seconds: PATIENCE_SECONDS });
}
