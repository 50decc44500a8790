// The whole daemon as a process, with a scripted agent instead of a model: each text names its message, so that a
// duplicate or lost message can be seen from outside.
import type { TurnOutcome } from '@relay/core/ports/agent-turn';
import type { RunningDaemon } from '@relay/daemon/compose';
import { type Config, loadConfig } from '@relay/daemon/config';
import { startDaemon } from '@relay/daemon/daemon';
import { openReadiness } from '@relay/daemon/platform/home/readiness';

const readiness = openReadiness(process.argv);
let daemon: RunningDaemon | null = null;

/**
 * Many people are written to within a minute here; a real account would be restricted for it. SCRIPTED_PACING=shipped
 * keeps the pacing.
 */
function paced(): Config {
  const config = loadConfig();
  if (process.env.SCRIPTED_PACING === 'shipped') return config;
  const pacing = { ...config.settings.pacing, enabled: false };
  return { ...config, settings: { ...config.settings, pacing } };
}

process.once('SIGTERM', async () => {
  await daemon?.stop();
  process.exit(0);
});

try {
  daemon = await startDaemon({
    config: paced(),
    progress: (sentence) => readiness.progress(sentence),
    takeTurn: async ({ purpose, followUpCount }): Promise<TurnOutcome> => ({
      messages: [`${purpose} ${followUpCount}`],
    }),
    webDirectory: null,
  });
  readiness.ready({ pid: process.pid, port: daemon.port });
} catch (error) {
  readiness.failed(error);
  console.error(error);
  process.exit(1);
}
