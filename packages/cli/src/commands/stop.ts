// `relay stop`: asks the daemon to end, waits until it has, and says whether everything was flushed.
import type { Run } from '../command.ts';
import { stopDaemon } from '../stop-daemon.ts';

export const run: Run = async ({ config, terminal }) => {
  const stopped = await stopDaemon(config.home, (pid) =>
    terminal.progress(`Stopping the daemon (PID ${pid}) …`),
  );
  if (stopped === null) {
    if (terminal.json) terminal.give({ stopped: false, running: false });
    else terminal.say('The daemon is not running; there is nothing to stop.');
    return 0;
  }
  const { pid, flushed } = stopped;
  if (terminal.json) terminal.give({ stopped: true, running: false, pid, flushed });
  else if (flushed) terminal.say('Stopped. Everything was flushed to disk.');
  else {
    terminal.say(
      'Stopped, but it ended before it was done. What was acknowledged is safe; the next `relay start` recovers the rest.',
    );
  }
  return 0;
};
