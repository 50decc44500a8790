// `relay memory outside`, as the table of all commands has it.
import type { CommandSpec } from '../command.ts';

export const MEMORY_OUTSIDE: CommandSpec = {
  name: 'outside',
  group: 'Your data',
  summary: 'give digests and facts to another memory: a folder, a webhook, or both',
  options: [
    ['--folder <path>', 'write JSON lines there, one file a day; an empty one ends it'],
    ['--webhook <url>', 'send them there, signed; an empty one ends it'],
    ['--device-id <id>', 'what the lines are marked with'],
    ['--hourly', 'the digests of hours too'],
    ['--no-hourly', 'only those of days'],
    ['--rotate-secret', 'make a new secret for the webhook'],
  ],
  load: () => import('../commands/memory/outside.ts'),
};
