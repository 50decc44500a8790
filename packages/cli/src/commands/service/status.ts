// `relay service status`: whether the system starts the daemon, and whether the one it started runs. Exit code 0 as
// long as both is so, 3 otherwise, as system managers have it.
import { existsSync } from 'node:fs';
import type { Run } from '../../command.ts';
import { isRunning, managerHere } from '../../service/carry-out.ts';

export const run: Run = async ({ config, terminal }) => {
  const manager = managerHere(config);
  const installed = existsSync(manager.file);
  const running = installed && isRunning(manager.running);
  if (terminal.json) {
    terminal.give({ installed, running, file: manager.file, manager: manager.called });
  } else terminal.say(sentence(installed, running, manager.called));
  return installed && running ? 0 : 3;
};

function sentence(installed: boolean, running: boolean, called: string): string {
  if (!installed) return 'Relay is not a service here. `relay service install` makes it one.';
  return running
    ? `Relay runs as a service of ${called}. \`relay status\` shows how it is.`
    : `Relay is a service of ${called}, and does not run. \`relay logs\` says why; \`relay service install\` starts it again.`;
}
