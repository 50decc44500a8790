// `relay service install`, `status` and `uninstall`: let the system start the daemon of this home, and restart it when
// it fails. The service file contains no secret: keys that exist only in the environment are left out, and the command
// says so.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RelayError } from '@relay/contract/errors';
import type { RunCommand } from '../../command.ts';
import { type CliConfig, KEY_IN_SETTINGS_FILE, serviceEnvironment } from '../../config.ts';
import { stopDaemon } from '../../daemon-process.ts';
import { type ServiceManager, selectServiceManager } from './manager.ts';

const RELAY_EXECUTABLE = fileURLToPath(new URL('../bin/relay.js', import.meta.url));

export const installServiceCommand: RunCommand = async ({ config, terminal, options }) => {
  const manager = detectServiceManager(config);
  const command = [process.execPath, RELAY_EXECUTABLE, 'start', '--foreground'];
  const text = manager.text({ command, environment: serviceEnvironment(config) });
  if (options.print === true) {
    if (terminal.json) terminal.writeJson({ file: manager.file, text });
    else terminal.write(text);
    return 0;
  }
  requireActiveManager(manager);
  mkdirSync(dirname(manager.file), { recursive: true });
  writeFileSync(manager.file, text, { encoding: manager.encoding, mode: 0o644 });
  // A daemon that was started by hand still holds the home.
  await stopDaemon(config.home);
  runServiceCommands(manager.install);
  if (terminal.json) {
    terminal.writeJson({ installed: true, file: manager.file, manager: manager.name });
    return 0;
  }
  terminal.writeLine(`Service installed with ${manager.name}: ${manager.file}`);
  terminal.writeLine(manager.installedHint);
  if (config.modelKey !== null && config.modelKey !== KEY_IN_SETTINGS_FILE) {
    terminal.writeLine(
      `The service cannot read ${config.modelKey}. Store the key encrypted with \`relay init --api-key\`.`,
    );
  }
  return 0;
};

// `relay service status`: whether the system starts the daemon, and whether that daemon runs. Exit code 0 if both,
// otherwise 3, as service managers do.

export const showServiceStatusCommand: RunCommand = async ({ config, terminal }) => {
  const manager = detectServiceManager(config);
  const installed = existsSync(manager.file);
  const running = installed && isServiceRunning(manager.running);
  if (terminal.json) {
    terminal.writeJson({ installed, running, file: manager.file, manager: manager.name });
  } else terminal.writeLine(describeService(installed, running, manager.name));
  return installed && running ? 0 : 3;
};

function describeService(installed: boolean, running: boolean, manager: string): string {
  if (!installed) return 'The service is not installed. Install it with `relay service install`.';
  return running
    ? `The service is installed with ${manager} and running. See \`relay status\`.`
    : `The service is installed with ${manager} but not running. See why with \`relay logs\`; start it again with \`relay service install\`.`;
}

// `relay service uninstall`: removes the service and ends its daemon. The home and everything in it stay.

export const uninstallServiceCommand: RunCommand = async ({ config, terminal }) => {
  const manager = detectServiceManager(config);
  const installed = existsSync(manager.file);
  if (installed) {
    requireActiveManager(manager);
    runServiceCommands(manager.uninstall);
    rmSync(manager.file, { force: true });
  }
  if (terminal.json) terminal.writeJson({ uninstalled: installed, file: manager.file });
  else if (installed) {
    terminal.writeLine(`Service removed. Your data in ${config.home} is kept.`);
  } else terminal.writeLine('The service is not installed.');
  return 0;
};

// Runs the system's commands one after the other; an error names the command that failed and why.

type ManagerCommand = ServiceManager['running'];

/** This machine's manager, if it is active: a container can have systemd's files without a running systemd. */
function detectServiceManager({ userFolder, settingsFolder }: CliConfig): ServiceManager {
  const { platform } = process;
  const uid = process.getuid?.() ?? null;
  const manager = selectServiceManager({ platform, uid, userFolder, settingsFolder });
  if (manager === null) throw new RelayError('service_unknown', { platform });
  return manager;
}

function requireActiveManager({ name }: ServiceManager): void {
  if (name === 'systemd' && !existsSync('/run/systemd/system')) {
    throw new RelayError('service_absent');
  }
}

function runServiceCommands(commands: readonly ManagerCommand[]): void {
  for (const [named, ...args] of commands) {
    const program = named.replace(/^-/, '');
    try {
      execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
    } catch (error) {
      if (program !== named) continue;
      const lastLine = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1);
      const reason = lastLine || (error as NodeJS.ErrnoException).code || 'it failed';
      const command = [program, ...args].join(' ');
      throw new RelayError('service_refused', { command, reason }, { cause: error });
    }
  }
}

function isServiceRunning([program, ...args]: ManagerCommand): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
