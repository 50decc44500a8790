// The commands for other agents: the server that a program starts, and its place in a program's settings.
import type { CommandSpec } from '../command.ts';
import { CLIENT_NAMES } from './clients.ts';

type Option = NonNullable<CommandSpec['options']>[number];

const WHERE: readonly Option[] = [
  ['--client <program>', `whose settings: ${CLIENT_NAMES.join(', ')}`],
  ['--file <file>', 'another settings file than the usual one'],
  ['--name <name>', 'what the server is called there', 'relay'],
];
const values = { '--client': CLIENT_NAMES };

export const MCP_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'mcp',
    group: 'You',
    summary: 'let other agents in: serve MCP, or write it into a program’s settings',
    options: [['--token-file <file>', 'where the token is, if not in RELAY_TOKEN']],
    load: () => import('../commands/mcp/serve.ts'),
    subcommands: [
      {
        name: 'install',
        group: 'You',
        summary: 'make a token for a program and write both into its settings',
        options: [
          ...WHERE,
          ['--scopes <scopes>', 'what it may do (default: all that looks, and messages:send)'],
          ['--contacts <people>', 'the only people it may deal with, as in Mom,"+49 170 1234567"'],
          ['--no-confirm', 'do not ask anybody before it sends'],
          ['--expires <when>', 'when its token ends, as in 90d or 2027-01-31 (default: never)'],
          ['--print', 'change nothing; show what would be written'],
        ],
        values,
        load: () => import('../commands/mcp/install.ts'),
      },
      {
        name: 'uninstall',
        group: 'You',
        summary: 'take it out of a program’s settings, and end its token',
        options: WHERE,
        values,
        load: () => import('../commands/mcp/uninstall.ts'),
      },
    ],
  },
];
