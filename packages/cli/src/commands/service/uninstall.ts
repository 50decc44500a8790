// `relay service uninstall`: the system no longer starts the daemon, and the one it started has ended. The home and
// everything in it stay.
import { existsSync, rmSync } from 'node:fs';
import type { Run } from '../../command.ts';
import { carryOut, expectAtWork, managerHere } from '../../service/carry-out.ts';

export const run: Run = async ({ config, terminal }) => {
  const manager = managerHere(config);
  const installed = existsSync(manager.file);
  if (installed) {
    expectAtWork(manager);
    carryOut(manager.uninstall);
    rmSync(manager.file, { force: true });
  }
  if (terminal.json) terminal.give({ uninstalled: installed, file: manager.file });
  else if (installed) {
    terminal.say(`Relay is no service any more. ${config.home} stays as it is.`);
  } else terminal.say('Relay is not a service here; there is nothing to take away.');
  return 0;
};
