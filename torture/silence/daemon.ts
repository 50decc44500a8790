// The whole daemon as a process, under a clock that the torture moves. Nothing else about it is changed.
import type { RunningDaemon } from '@relay/daemon/compose';
import { loadConfig } from '@relay/daemon/config';
import { startDaemon } from '@relay/daemon/daemon';
import { openReadiness } from '@relay/daemon/platform/home/readiness';
import { readClock } from './clock.ts';

const clock = process.env.RELAY_TORTURE_CLOCK;
if (clock === undefined) throw new Error('RELAY_TORTURE_CLOCK names no clock.');

const readiness = openReadiness(process.argv);
let daemon: RunningDaemon | null = null;

process.once('SIGTERM', async () => {
  await daemon?.stop();
  process.exit(0);
});

try {
  daemon = await startDaemon({
    config: loadConfig(),
    now: () => readClock(clock),
    webDirectory: process.env.RELAY_TORTURE_CONSOLE ?? null,
  });
  readiness.ready({ pid: process.pid, port: daemon.port });
} catch (error) {
  readiness.failed(error);
  console.error(error);
  process.exit(1);
}
