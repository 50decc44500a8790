// `relay service install`, `status` and `uninstall`: let the system start the daemon of this home, and restart it when
// it fails. The service takes over every setting of the environment it is installed in, or the command refuses.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RelayError } from '@relay/contract/errors';
import type { RunCommand } from '../../command.ts';
import { type CliConfig, readHomeSettings, serviceEnvironment } from '../../config.ts';
import { stopDaemon } from '../../daemon-process.ts';
import { environmentFile, type ServiceManager, selectServiceManager } from './manager.ts';

const RELAY_EXECUTABLE = fileURLToPath(new URL('../bin/relay.js', import.meta.url));

export const installServiceCommand: RunCommand = async ({ config, terminal, options }) => {
  const manager = detectServiceManager(config);
  const isPrint = options.print === true;
  const account = manager.system ? chooseAccount(config, options.user, isPrint) : null;
  if (account === null && options.user !== undefined) {
    throw new RelayError('usage', { what: 'Only root can install a service for another account.' });
  }
  const home = account?.relayHome ?? config.home;
  const environment = serviceEnvironment({ ...config, home });
  const { variablesFile } = manager;
  if (manager.name === 'Task Scheduler') refuseSecrets(environment);
  const keyFolder = defaultKeyFolder(environment, account?.folder ?? config.userFolder);
  const text = manager.text({
    command: [process.execPath, RELAY_EXECUTABLE, 'start', '--foreground'],
    environment,
    user: account?.name ?? null,
    variablesFile,
    writable: [...keyFolder, ...namedFolders(environment)],
  });
  if (isPrint) {
    const variables = variablesFile === null ? null : Object.keys(environment);
    if (terminal.json) terminal.writeJson({ file: manager.file, text, variablesFile, variables });
    else terminal.write(text);
    return 0;
  }
  requireActiveManager(manager);
  if (account !== null) prepareFor(account, [home, ...keyFolder]);
  mkdirSync(dirname(manager.file), { recursive: true });
  if (variablesFile !== null) writePrivately(variablesFile, environmentFile(environment));
  writeFileSync(manager.file, text, { encoding: manager.encoding });
  // Without a second file the text itself may contain a password.
  chmodSync(manager.file, variablesFile === null ? 0o600 : 0o644);
  // A daemon that was started by hand still holds the home.
  await stopDaemon(home);
  runServiceCommands(manager.install);
  if (terminal.json) {
    const user = account?.name ?? null;
    terminal.writeJson({ installed: true, file: manager.file, manager: manager.name, user, home });
    return 0;
  }
  terminal.writeLine(`Service installed with ${manager.name}: ${manager.file}`);
  if (account !== null) terminal.writeLine(`It runs as "${account.name}" with the home ${home}.`);
  terminal.writeLine(manager.installedHint);
  return 0;
};

/** The account of a system service. */
interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly folder: string;
  readonly relayHome: string;
}

/** The given account, or the one that owns the home. Never root. */
function chooseAccount(config: CliConfig, given: unknown, isPrint: boolean): Account {
  const owner = statSync(config.home, { throwIfNoEntry: false })?.uid ?? 0;
  if (given === undefined && owner === 0) {
    if (!isPrint) throw new RelayError('service_user_needed');
    return { name: 'relay', uid: -1, gid: -1, folder: '/home/relay', relayHome: config.home };
  }
  const account = findAccount(given === undefined ? String(owner) : String(given));
  if (account.uid === 0) throw new RelayError('service_user_needed');
  const isDefaultHome = config.home === join(config.userFolder, '.relay-agent');
  const relayHome =
    isDefaultHome && given !== undefined ? join(account.folder, '.relay-agent') : config.home;
  return { ...account, relayHome };
}

function findAccount(user: string): Omit<Account, 'relayHome'> {
  try {
    const line = execFileSync('getent', ['passwd', user], { encoding: 'utf8' });
    const [name = '', , uid, gid, , folder = '/'] = line.trim().split(':');
    return { name, uid: Number(uid), gid: Number(gid), folder };
  } catch (cause) {
    throw new RelayError('service_user_unknown', { user }, { cause });
  }
}

/** Where Relay keeps the key that it creates; nothing if the owner chose a file. */
function defaultKeyFolder(environment: Record<string, string>, userFolder: string): string[] {
  const { RELAY_KEY_FILE, XDG_STATE_HOME } = environment;
  const state = XDG_STATE_HOME ?? join(userFolder, '.local/state');
  return RELAY_KEY_FILE === undefined ? [join(state, 'relay-agent')] : [];
}

/** The folders that the environment and the settings name. */
function namedFolders({ RELAY_KEY_FILE, RELAY_HOME = '' }: Record<string, string>): string[] {
  const { backup, outside_memory } = readHomeSettings(RELAY_HOME).settings;
  const named = [backup, outside_memory].flatMap((section) => {
    const { folder, copy_to } = (section ?? {}) as { folder?: unknown; copy_to?: unknown };
    return [folder, copy_to].filter((path) => typeof path === 'string');
  });
  // A key that exists is only read.
  const isKeyMissing = RELAY_KEY_FILE !== undefined && !existsSync(RELAY_KEY_FILE);
  return isKeyMissing ? [dirname(RELAY_KEY_FILE), ...named] : named;
}

/** Anybody on the machine who sees its processes would see these. */
function refuseSecrets(environment: Record<string, string>): void {
  for (const variable of ['DATABASE_URL', 'DATABASE_OWNER_URL']) {
    if (environment[variable] === undefined) continue;
    const action = 'Set it as a user variable in the system settings, then unset it here.';
    throw new RelayError('service_variable', { variable }, { action });
  }
}

function prepareFor(account: Account, folders: readonly string[]): void {
  requireReadableProgram(account);
  for (const folder of folders) makeFolder(folder, account);
}

/** The program must be readable by the account that runs it. */
function requireReadableProgram({ name, uid, gid }: Account): void {
  for (const path of [process.execPath, RELAY_EXECUTABLE]) {
    try {
      execFileSync('/usr/bin/env', ['test', '-r', path], { uid, gid, cwd: '/', stdio: 'ignore' });
    } catch (cause) {
      throw new RelayError('service_program_unreadable', { user: name, path }, { cause });
    }
  }
}

/** Creates a folder that only the account may enter. An existing one must be the account's. */
function makeFolder(path: string, account: Account): void {
  const { name, uid, gid } = account;
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    const parent = dirname(path);
    if (!existsSync(parent)) makeFolder(parent, account);
    mkdirSync(path, { mode: 0o700 });
    chownSync(path, uid, gid);
    return;
  }
  if (found.uid === uid) return;
  const action = `Run \`chown -R ${name}: "${path}"\`, then install again.`;
  throw new RelayError(
    'home_unusable',
    { home: path, reason: `it does not belong to "${name}".` },
    { action },
  );
}

function writePrivately(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(path, { force: true });
  writeFileSync(path, text, { mode: 0o600 });
}

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
    if (manager.variablesFile !== null) rmSync(manager.variablesFile, { force: true });
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
