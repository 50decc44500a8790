// `relay stop`: asks the daemon to end and waits until it has. It removes its PID file as its last
// act, so a PID file that is gone means that everything was flushed before.
import { setTimeout as sleep } from 'node:timers/promises';
import { RelayError } from '@relay/core/errors';
import type { Run } from '../command.ts';
import { findDaemon } from '../daemon.ts';

const PATIENCE_SECONDS = 30;

export const run: Run = async ({ config, terminal }) => {
  const daemon = findDaemon(config.home);
  if (daemon.state === 'none') {
    if (terminal.json) terminal.give({ stopped: false, running: false });
    else terminal.say('The daemon is not running; there is nothing to stop.');
    return 0;
  }
  const { pid } = daemon;
  terminal.progress(`Stopping the daemon (PID ${pid}) …`);
  process.kill(pid, 'SIGTERM');
  const end = await gone(config.home, pid);
  const flushed = end.stalePid === null;
  if (terminal.json) terminal.give({ stopped: true, running: false, pid, flushed });
  else if (flushed) terminal.say('Stopped. Everything was flushed to disk.');
  else {
    terminal.say(
      'Stopped, but it ended before it was done. What was acknowledged is safe; the next `relay start` recovers the rest.',
    );
  }
  return 0;
};

async function gone(home: string, pid: number): Promise<{ stalePid: number | null }> {
  const until = Date.now() + PATIENCE_SECONDS * 1_000;
  while (Date.now() < until) {
    const daemon = findDaemon(home);
    if (daemon.state === 'none' && !alive(pid)) return daemon;
    // A service manager may have started the next one already.
    if (daemon.state !== 'none' && daemon.pid !== pid) return { stalePid: null };
    await sleep(25);
  }
  throw new RelayError('daemon_stop_failed', { pid, seconds: PATIENCE_SECONDS });
}

/** Between removing its PID file and its end the daemon is still there. */
function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
