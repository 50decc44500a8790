// The service managers Relay supports: the file each one reads, and the commands to run in order. Pure. Invariant:
// installing or uninstalling twice has the same result as once.
import { posix, win32 } from 'node:path';

export interface MachineInfo {
  readonly platform: string;
  /** Null on systems without numeric user ids. */
  readonly uid: number | null;
  readonly userFolder: string;
  readonly settingsFolder: string;
}

type Command = readonly [program: string, ...args: string[]];

export interface ServiceManager {
  readonly name: string;
  readonly file: string;
  /** Starts at boot instead of at login. */
  readonly system: boolean;
  text(spec: Omit<ServiceSpec, 'system'>): string;
  /** A second file, which only its owner may read: it carries the variables. Null: they are in the first one. */
  readonly variablesFile: string | null;
  readonly encoding: 'utf8' | 'utf16le';
  /** Run after the file is written. A command that may fail starts with a dash, as in a makefile. */
  readonly install: readonly Command[];
  /** Run while the file still exists. */
  readonly uninstall: readonly Command[];
  /** Exits with 0 while the service runs. */
  readonly running: Command;
  /** A hint for the person after installation. */
  readonly installedHint: string;
}

/** Null if no supported service manager exists. */
export function selectServiceManager(machine: MachineInfo): ServiceManager | null {
  switch (machine.platform) {
    case 'linux':
      return systemd(machine);
    case 'darwin':
      return launchd(machine);
    case 'win32':
      return scheduler(machine);
    default:
      return null;
  }
}

function systemd({ uid, settingsFolder }: MachineInfo): ServiceManager {
  const system = uid === 0;
  const unit = `${SERVICE_NAME}.service`;
  const folder = system ? '/etc/systemd/system' : posix.join(settingsFolder, 'systemd/user');
  const control = (...args: string[]): Command => [
    'systemctl',
    ...(system ? [] : ['--user']),
    ...args,
  ];
  return {
    name: 'systemd',
    file: posix.join(folder, unit),
    system,
    text: (spec) => systemdUnit({ ...spec, system }),
    variablesFile: posix.join(system ? '/etc' : settingsFolder, 'relay-agent/service.env'),
    encoding: 'utf8',
    install: [control('daemon-reload'), control('enable', unit), control('restart', unit)],
    uninstall: [control('disable', '--now', unit)],
    running: control('is-active', '--quiet', unit),
    installedHint: system
      ? 'It starts when the machine starts.'
      : 'It starts when you log in. To keep it running without a login, run `loginctl enable-linger`.',
  };
}

function launchd({ uid, userFolder }: MachineInfo): ServiceManager {
  const file = posix.join(userFolder, 'Library/LaunchAgents', `${LAUNCHD_LABEL}.plist`);
  const domain = `gui/${uid}`;
  return {
    name: 'launchd',
    file,
    system: false,
    text: (spec) => launchdPlist({ ...spec, system: false }),
    variablesFile: null,
    encoding: 'utf8',
    install: [
      ['-launchctl', 'bootout', `${domain}/${LAUNCHD_LABEL}`],
      ['launchctl', 'bootstrap', domain, file],
    ],
    uninstall: [['-launchctl', 'bootout', `${domain}/${LAUNCHD_LABEL}`]],
    running: ['launchctl', 'print', `${domain}/${LAUNCHD_LABEL}`],
    installedHint: 'It starts when you log in.',
  };
}

function scheduler({ settingsFolder }: MachineInfo): ServiceManager {
  const file = win32.join(settingsFolder, 'relay-agent', 'service.xml');
  return {
    name: 'Task Scheduler',
    file,
    system: false,
    text: (spec) => windowsTask({ ...spec, system: false }),
    variablesFile: null,
    encoding: 'utf16le',
    install: [
      ['schtasks', '/Create', '/F', '/TN', SERVICE_NAME, '/XML', file],
      ['schtasks', '/Run', '/TN', SERVICE_NAME],
    ],
    uninstall: [
      ['-schtasks', '/End', '/TN', SERVICE_NAME],
      ['schtasks', '/Delete', '/F', '/TN', SERVICE_NAME],
    ],
    running: ['schtasks', '/Query', '/TN', SERVICE_NAME],
    installedHint: 'It starts when you log in.',
  };
}

// Writes the service file for each system as pure text, so that tests see every character. A systemd unit can be read by
// everybody, so the variables are in a file of their own. Keys are stored encrypted in the home, where `relay init` puts
// them.

export interface ServiceSpec {
  /** The program and its arguments, unquoted. */
  readonly command: readonly string[];
  /** Environment of the daemon: its home and every setting that only the environment has. */
  readonly environment: Readonly<Record<string, string>>;
  /** Starts at boot instead of at login. */
  readonly system: boolean;
  /** The account that a system service runs as. */
  readonly user: string | null;
  /** Where the variables are, if not in the text itself. */
  readonly variablesFile: string | null;
  /** Folders that the daemon writes, besides its home. */
  readonly writable: readonly string[];
}

const SERVICE_NAME = 'relay';
const LAUNCHD_LABEL = 'dev.relay-agent.relay';
const DESCRIPTION = "Relay: AI agents on WhatsApp, under their owner's control";

/** Exit codes of the daemon after which a restart cannot help: settings, what only a person can fix, a deleted home. */
const FINAL_EXIT_CODES = [2, 9, 10];

/** systemd reads a quoted word like C, and `%` and `$` are special. */
const systemdWord = (text: string): string =>
  `"${text.replace(/[\\"]/g, '\\$&').replace(/%/g, '%%').replace(/\$/g, '$$$$')}"`;

const systemdValue = (text: string): string =>
  `"${text.replace(/[\\"]/g, '\\$&').replace(/%/g, '%%')}"`;

/** The lines of a file that systemd reads with `EnvironmentFile=`; nothing is expanded there. */
export const environmentFile = (environment: ServiceSpec['environment']): string =>
  [
    '# Written by `relay service install`. Only the owner may read it.',
    ...Object.entries(environment).map(
      ([name, value]) => `${name}="${value.replace(/[\\"`$]/g, '\\$&')}"`,
    ),
    '',
  ].join('\n');

/** What needs neither privileges nor namespaces, so that a user service has it too. */
const SANDBOX = [
  'NoNewPrivileges=yes',
  'LockPersonality=yes',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'SystemCallArchitectures=native',
  // PostgreSQL's shared memory and semaphores are in @system-service. MemoryDenyWriteExecute is missing because V8
  // compiles code at run time.
  'SystemCallFilter=@system-service',
  'SystemCallFilter=~@privileged @resources',
  'SystemCallErrorNumber=EPERM',
];

const SYSTEM_SANDBOX = [
  'ProtectSystem=strict',
  'PrivateDevices=yes',
  'PrivateUsers=yes',
  'ProtectClock=yes',
  'ProtectControlGroups=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'ProtectProc=invisible',
  'RemoveIPC=yes',
  'CapabilityBoundingSet=',
  'AmbientCapabilities=',
];

function systemSandbox({ command, environment, writable }: ServiceSpec): string[] {
  const home = environment.RELAY_HOME ?? '';
  const needed = [...command, ...Object.values(environment), ...writable];
  const isNeededUnder = (...folders: string[]) =>
    needed.some((path) => folders.some((folder) => path.startsWith(`${folder}/`)));
  return [
    ...SYSTEM_SANDBOX,
    `ProtectHome=${isNeededUnder('/home', '/root', '/run/user') ? 'read-only' : 'yes'}`,
    `PrivateTmp=${isNeededUnder('/tmp', '/var/tmp') ? 'no' : 'yes'}`,
    // A dash: a folder that does not exist yet, or a disk that is not mounted, does not stop the start.
    ...[home, ...writable].map((path) => `ReadWritePaths=${systemdValue(`-${path}`)}`),
  ];
}

export function systemdUnit(spec: ServiceSpec): string {
  const { command, environment, system, user, variablesFile } = spec;
  const variables = Object.entries(environment).map(
    ([name, value]) => `Environment=${systemdValue(`${name}=${value}`)}`,
  );
  return [
    '# Written by `relay service install`; `relay service uninstall` removes it.',
    '[Unit]',
    `Description=${DESCRIPTION}`,
    'After=network-online.target',
    'Wants=network-online.target',
    '',
    '[Service]',
    'Type=exec',
    ...(user === null ? [] : [`User=${user}`]),
    `ExecStart=${command.map(systemdWord).join(' ')}`,
    ...(variablesFile === null
      ? variables
      : [`EnvironmentFile=${variablesFile.replace(/%/g, '%%')}`]),
    'Restart=on-failure',
    'RestartSec=5',
    '# A restart cannot cure these: invalid settings, what only a person can fix, a deleted home.',
    `RestartPreventExitStatus=${FINAL_EXIT_CODES.join(' ')}`,
    '# The daemon saves all data and stops its database first.',
    'TimeoutStopSec=60',
    'KillMode=mixed',
    'UMask=0077',
    ...SANDBOX,
    ...(system ? systemSandbox(spec) : []),
    '',
    '[Install]',
    `WantedBy=${system ? 'multi-user.target' : 'default.target'}`,
    '',
  ].join('\n');
}

const xml = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

export function launchdPlist({ command, environment }: ServiceSpec): string {
  const strings = command.map((word) => `    <string>${xml(word)}</string>`);
  const variables = Object.entries(environment).flatMap(([name, value]) => [
    `    <key>${xml(name)}</key>`,
    `    <string>${xml(value)}</string>`,
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<!-- Written by `relay service install`; `relay service uninstall` removes it. -->',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key><string>${LAUNCHD_LABEL}</string>`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...strings,
    '  </array>',
    '  <key>EnvironmentVariables</key>',
    '  <dict>',
    ...variables,
    '  </dict>',
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key>',
    '  <dict><key>SuccessfulExit</key><false/></dict>',
    '  <key>ThrottleInterval</key><integer>5</integer>',
    '  <key>ExitTimeOut</key><integer>60</integer>',
    '  <key>Umask</key><integer>63</integer>',
    '  <key>ProcessType</key><string>Background</string>',
    '</dict>',
    '</plist>',
    '',
  ].join('\n');
}

/** Quoting for `CommandLineToArgvW`: backslashes are special only before a quotation mark. */
const windowsWord = (text: string): string =>
  `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;

export function windowsTask({
  command: [program = '', ...args],
  environment,
}: ServiceSpec): string {
  // A scheduled task has no environment of its own, so a Node argument sets the home.
  const variables = Object.entries(environment)
    .map(([name, value]) => `process.env[${JSON.stringify(name)}]=${JSON.stringify(value)}`)
    .join(';');
  const preload = `data:text/javascript,${encodeURIComponent(variables)}`;
  const words = ['--import', preload, ...args].map(windowsWord).join(' ');
  return [
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    `  <RegistrationInfo><Description>${xml(DESCRIPTION)}</Description></RegistrationInfo>`,
    '  <Triggers><LogonTrigger><Enabled>true</Enabled></LogonTrigger></Triggers>',
    '  <Principals><Principal id="Author"><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal></Principals>',
    '  <Settings>',
    '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
    '    <RestartOnFailure><Interval>PT1M</Interval><Count>255</Count></RestartOnFailure>',
    '  </Settings>',
    '  <Actions Context="Author">',
    `    <Exec><Command>${xml(program)}</Command><Arguments>${xml(words)}</Arguments></Exec>`,
    '  </Actions>',
    '</Task>',
    '',
  ].join('\r\n');
}
