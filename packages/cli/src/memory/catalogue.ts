// The commands about memory, as the table of all commands has them.
import type { CommandSpec } from '../command.ts';
import { MEMORY_IMPORT } from './import-command.ts';
import { MEMORY_OUTSIDE } from './outside-command.ts';

export const MEMORY_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'memory',
    group: 'Your data',
    summary: 'see how what was said is found by its meaning, and choose how',
    load: () => import('../commands/memory/status.ts'),
    subcommands: [
      MEMORY_IMPORT,
      MEMORY_OUTSIDE,
      {
        name: 'embeddings',
        group: 'Your data',
        summary: 'find by meaning with a model on this machine or an endpoint, or by words alone',
        arguments: [
          {
            syntax: '<how>',
            summary: 'off, local (English, nothing leaves), or endpoint',
            choices: ['off', 'local', 'endpoint'],
          },
        ],
        options: [
          ['--base-url <url>', 'where the endpoint is, as in https://api.openai.com/v1'],
          ['--model <name>', 'which of its models'],
          ['--key', 'read its key from standard input'],
          ['-y, --yes', 'begin without being asked'],
        ],
        load: () => import('../commands/memory/embeddings.ts'),
      },
    ],
  },
];
