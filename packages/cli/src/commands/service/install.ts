// `relay service install`: the system starts the daemon of this home from now on, and again when it fails. What is
// written holds no secret: keys that only the environment has are left out, and that is said.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Run } from '../../command.ts';
import { IN_FILE, serviceEnvironment } from '../../config.ts';
import { carryOut, expectAtWork, managerHere } from '../../service/carry-out.ts';
import { stopDaemon } from '../../stop-daemon.ts';

const RELAY = fileURLToPath(new URL('../bin/relay.js', import.meta.url));

export const run: Run = async ({ config, terminal, options }) => {
  const manager = managerHere(config);
  const command = [process.execPath, RELAY, 'start', '--foreground'];
  const text = manager.text({ command, environment: serviceEnvironment(config) });
  if (options.print === true) {
    if (terminal.json) terminal.give({ file: manager.file, text });
    else terminal.write(text);
    return 0;
  }
  expectAtWork(manager);
  mkdirSync(dirname(manager.file), { recursive: true });
  writeFileSync(manager.file, text, { encoding: manager.encoding, mode: 0o644 });
  // One that was started by hand holds the home.
  await stopDaemon(config.home);
  carryOut(manager.install);
  if (terminal.json) {
    terminal.give({ installed: true, file: manager.file, manager: manager.called });
    return 0;
  }
  terminal.say(`Relay is a service of ${manager.called} now: ${manager.file}`);
  terminal.say(manager.next);
  if (config.modelKey !== null && config.modelKey !== IN_FILE) {
    terminal.say(
      `The service does not see ${config.modelKey}; \`relay init --api-key\` keeps the key, sealed.`,
    );
  }
  return 0;
};
