// Who starts services on this system, and how it is asked: the file it reads, and the commands in their order.
// Pure. Invariant: installing twice ends as installing once, and so does uninstalling.
import { posix, win32 } from 'node:path';

export interface MachineInfo {
  readonly platform: string;
  /** Null where there are no numbered users. */
  readonly uid: number | null;
  readonly userFolder: string;
  readonly settingsFolder: string;
}

type Command = readonly [program: string, ...args: string[]];

export interface ServiceManager {
  readonly called: string;
  readonly file: string;
  /** With the machine instead of with the person. */
  readonly system: boolean;
  text(wish: Omit<ServiceSpec, 'system'>): string;
  readonly encoding: 'utf8' | 'utf16le';
  /** Once the file is there. One that may fail begins with a dash, as in a makefile. */
  readonly install: readonly Command[];
  /** While the file is still there. */
  readonly uninstall: readonly Command[];
  /** Exit code 0 as long as it runs. */
  readonly running: Command;
  /** What a person should know once it is installed. */
  readonly next: string;
}

/** Null where nobody we know starts services. */
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
    called: 'systemd',
    file: posix.join(folder, unit),
    system,
    text: (wish) => systemdUnit({ ...wish, system }),
    encoding: 'utf8',
    install: [control('daemon-reload'), control('enable', unit), control('restart', unit)],
    uninstall: [control('disable', '--now', unit)],
    running: control('is-active', '--quiet', unit),
    next: system
      ? 'It starts with the machine.'
      : 'It starts when you log in. `loginctl enable-linger` lets it run while you are not.',
  };
}

function launchd({ uid, userFolder }: MachineInfo): ServiceManager {
  const file = posix.join(userFolder, 'Library/LaunchAgents', `${LAUNCHD_LABEL}.plist`);
  const domain = `gui/${uid}`;
  return {
    called: 'launchd',
    file,
    system: false,
    text: (wish) => launchdPlist({ ...wish, system: false }),
    encoding: 'utf8',
    install: [
      ['-launchctl', 'bootout', `${domain}/${LAUNCHD_LABEL}`],
      ['launchctl', 'bootstrap', domain, file],
    ],
    uninstall: [['-launchctl', 'bootout', `${domain}/${LAUNCHD_LABEL}`]],
    running: ['launchctl', 'print', `${domain}/${LAUNCHD_LABEL}`],
    next: 'It starts when you log in.',
  };
}

function scheduler({ settingsFolder }: MachineInfo): ServiceManager {
  const file = win32.join(settingsFolder, 'relay-agent', 'service.xml');
  return {
    called: 'the task scheduler',
    file,
    system: false,
    text: (wish) => windowsTask({ ...wish, system: false }),
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
    next: 'It starts when you log in.',
  };
}

// What a service is told to run, for each kind of system: pure text, so that a test sees every character of it.
// Invariant: no secret is written there. Keys lie sealed in the home, where `relay init` puts them.

export interface ServiceSpec {
  /** The program and its arguments, each as it is. */
  readonly command: readonly string[];
  /** Of the daemon: the home, and where else it was told to be. */
  readonly environment: Readonly<Record<string, string>>;
  /** Starts with the machine instead of with the person. */
  readonly system: boolean;
}

const SERVICE_NAME = 'relay';
const LAUNCHD_LABEL = 'dev.relay-agent.relay';
const DESCRIPTION = "Relay: AI agents on WhatsApp, under their owner's control";

/** systemd reads a quoted word as C does, and `%` and `$` mean something to it. */
const systemdWord = (text: string): string =>
  `"${text.replace(/[\\"]/g, '\\$&').replace(/%/g, '%%').replace(/\$/g, '$$$$')}"`;

const systemdValue = (text: string): string =>
  `"${text.replace(/[\\"]/g, '\\$&').replace(/%/g, '%%')}"`;

export function systemdUnit({ command, environment, system }: ServiceSpec): string {
  const variables = Object.entries(environment).map(
    ([name, value]) => `Environment=${systemdValue(`${name}=${value}`)}`,
  );
  return [
    '# Written by `relay service install`; `relay service uninstall` takes it away.',
    '[Unit]',
    `Description=${DESCRIPTION}`,
    'After=network-online.target',
    'Wants=network-online.target',
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${command.map(systemdWord).join(' ')}`,
    ...variables,
    'Restart=on-failure',
    'RestartSec=5',
    '# It flushes everything and stops its database first.',
    'TimeoutStopSec=60',
    'KillMode=mixed',
    'UMask=0077',
    'NoNewPrivileges=yes',
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
    '<!-- Written by `relay service install`; `relay service uninstall` takes it away. -->',
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

/** As `CommandLineToArgvW` reads it: backslashes count only in front of a quotation mark. */
const windowsWord = (text: string): string =>
  `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;

export function windowsTask({
  command: [program = '', ...args],
  environment,
}: ServiceSpec): string {
  // A task has no environment of its own: the command is told its home by an argument of Node.
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
