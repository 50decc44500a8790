// The commands about settings, as the table of all commands has them.
import type { CommandSpec } from '../command.ts';

export const CONFIG_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'config',
    group: 'Daemon',
    summary: 'see every setting: its value, where it comes from, what it means',
    arguments: [{ syntax: '[part]', summary: 'only those with this in their name, as in: pacing' }],
    load: () => import('../commands/config/list.ts'),
    subcommands: [
      {
        name: 'list',
        group: 'Daemon',
        summary: 'show every setting',
        arguments: [
          { syntax: '[part]', summary: 'only those with this in their name, as in: pacing' },
        ],
        load: () => import('../commands/config/list.ts'),
      },
      {
        name: 'schema',
        group: 'Daemon',
        summary: 'print the JSON schema of relay.config.json, for editors',
        load: () => import('../commands/config/schema.ts'),
      },
    ],
  },
];
