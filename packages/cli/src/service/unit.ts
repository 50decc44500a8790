// What a service is told to run, for each kind of system: pure text, so that a test sees every character of it.
// Invariant: no secret is written there. Keys lie sealed in the home, where `relay init` puts them.

export interface Wish {
  /** The program and its arguments, each as it is. */
  readonly command: readonly string[];
  /** Of the daemon: the home, and where else it was told to be. */
  readonly environment: Readonly<Record<string, string>>;
  /** Starts with the machine instead of with the person. */
  readonly system: boolean;
}

export const SERVICE = 'relay';
export const LABEL = 'dev.relay-agent.relay';
const DESCRIPTION = "Relay: AI agents on WhatsApp, under their owner's control";

/** systemd reads a quoted word as C does, and `%` and `$` mean something to it. */
const systemdWord = (text: string): string =>
  `"${text.replace(/[\\"]/g, '\\$&').replace(/%/g, '%%').replace(/\$/g, '$$$$')}"`;

const systemdValue = (text: string): string =>
  `"${text.replace(/[\\"]/g, '\\$&').replace(/%/g, '%%')}"`;

export function systemdUnit({ command, environment, system }: Wish): string {
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

export function launchdPlist({ command, environment }: Wish): string {
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
    `  <key>Label</key><string>${LABEL}</string>`,
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

export function windowsTask({ command: [program = '', ...args], environment }: Wish): string {
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
