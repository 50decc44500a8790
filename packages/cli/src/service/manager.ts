// Who starts services on this system, and how it is asked: the file it reads, and the commands in their order.
// Pure. Invariant: installing twice ends as installing once, and so does uninstalling.
import { posix, win32 } from 'node:path';
import { LABEL, launchdPlist, SERVICE, systemdUnit, type Wish, windowsTask } from './unit.ts';

export interface Machine {
  readonly platform: string;
  /** Null where there are no numbered users. */
  readonly uid: number | null;
  readonly userFolder: string;
  readonly settingsFolder: string;
}

type Command = readonly [program: string, ...args: string[]];

export interface Manager {
  readonly called: string;
  readonly file: string;
  /** With the machine instead of with the person. */
  readonly system: boolean;
  text(wish: Omit<Wish, 'system'>): string;
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
export function managerOf(machine: Machine): Manager | null {
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

function systemd({ uid, settingsFolder }: Machine): Manager {
  const system = uid === 0;
  const unit = `${SERVICE}.service`;
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

function launchd({ uid, userFolder }: Machine): Manager {
  const file = posix.join(userFolder, 'Library/LaunchAgents', `${LABEL}.plist`);
  const domain = `gui/${uid}`;
  return {
    called: 'launchd',
    file,
    system: false,
    text: (wish) => launchdPlist({ ...wish, system: false }),
    encoding: 'utf8',
    install: [
      ['-launchctl', 'bootout', `${domain}/${LABEL}`],
      ['launchctl', 'bootstrap', domain, file],
    ],
    uninstall: [['-launchctl', 'bootout', `${domain}/${LABEL}`]],
    running: ['launchctl', 'print', `${domain}/${LABEL}`],
    next: 'It starts when you log in.',
  };
}

function scheduler({ settingsFolder }: Machine): Manager {
  const file = win32.join(settingsFolder, 'relay-agent', 'service.xml');
  return {
    called: 'the task scheduler',
    file,
    system: false,
    text: (wish) => windowsTask({ ...wish, system: false }),
    encoding: 'utf16le',
    install: [
      ['schtasks', '/Create', '/F', '/TN', SERVICE, '/XML', file],
      ['schtasks', '/Run', '/TN', SERVICE],
    ],
    uninstall: [
      ['-schtasks', '/End', '/TN', SERVICE],
      ['schtasks', '/Delete', '/F', '/TN', SERVICE],
    ],
    running: ['schtasks', '/Query', '/TN', SERVICE],
    next: 'It starts when you log in.',
  };
}
