// The commands about the service, as the table of all commands has them.
import type { CommandSpec } from '../command.ts';

const group = 'Daemon' as const;

export const SERVICE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'service',
    group,
    summary: 'let the system start the daemon: systemd, launchd, Windows tasks',
    load: () => import('../commands/service/status.ts'),
    subcommands: [
      {
        name: 'install',
        group,
        summary: 'start with the system from now on, and again after a failure',
        options: [['--print', 'only show what would be written']],
        load: () => import('../commands/service/install.ts'),
      },
      {
        name: 'uninstall',
        group,
        summary: 'no longer; the home stays as it is',
        load: () => import('../commands/service/uninstall.ts'),
      },
      {
        name: 'status',
        group,
        summary: 'show whether it is a service, and whether it runs',
        load: () => import('../commands/service/status.ts'),
      },
    ],
  },
];
