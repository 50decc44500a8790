// The commands for other agents: the server that a program starts, and its place in a program's settings.
import type { CommandSpec } from '../command.ts';

export const MCP_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'mcp',
    group: 'You',
    summary: 'serve MCP on standard input and output, for a program that starts it',
    options: [['--token-file <file>', 'where its token is, if not in RELAY_TOKEN']],
    load: () => import('../commands/mcp/serve.ts'),
  },
];
