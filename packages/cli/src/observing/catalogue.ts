// The commands about groups that are read in silence, as the table of all commands has them.
import type { CommandSpec } from '../command.ts';
import { OBSERVE_TOKEN } from './token-command.ts';

const WHICH = { syntax: '<group>', summary: 'its name or a part of it, or its address' } as const;

export const OBSERVING_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'observe',
    group: 'People',
    summary: 'have a group read in silence, for digests and answers to you',
    load: () => import('../commands/observe/list.ts'),
    subcommands: [
      {
        name: 'add',
        group: 'People',
        summary: 'read a group from now on; tell it first',
        arguments: [WHICH],
        options: [
          ['--announced', 'you have told the group; asked otherwise'],
          ['--answer', 'your assistant may answer you there when you ask it by name'],
          ['--name <name>', 'what you call your assistant there'],
          ['--answers <count>', 'how often a day it may answer there'],
          ['--zone <zone>', 'the time zone of its days, as in Europe/Berlin (default: yours)'],
        ],
        load: () => import('../commands/observe/add.ts'),
      },
      {
        name: 'list',
        group: 'People',
        summary: 'show what is read, and what that costs and spares',
        load: () => import('../commands/observe/list.ts'),
      },
      {
        name: 'remove',
        group: 'People',
        summary: 'read a group no longer',
        arguments: [WHICH],
        options: [['--erase', 'erase what was kept of it too: messages, digests, all']],
        load: () => import('../commands/observe/remove.ts'),
      },
      OBSERVE_TOKEN,
    ],
  },
];
