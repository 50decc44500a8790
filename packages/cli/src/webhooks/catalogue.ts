// The commands about webhooks, as the table of all commands has them.
import { WEBHOOK_EVENTS } from '@relay/core/webhooks/kinds';
import type { CommandSpec } from '../command.ts';

const WHICH = { syntax: '<name>', summary: 'its name or id' } as const;
const group = 'You' as const;

export const WEBHOOK_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'webhook',
    group,
    summary: 'tell a program of yours what happens, wherever it is',
    load: () => import('../commands/webhook/list.ts'),
    subcommands: [
      {
        name: 'add',
        group,
        summary: 'tell an address what happens from now on',
        arguments: [{ syntax: '<url>', summary: 'where to, as https://n8n.example.org/webhook/…' }],
        options: [
          ['--events <kinds>', `with commas between; all without: ${WEBHOOK_EVENTS.join(', ')}`],
          ['--chat <who...>', 'only of these chats: a name, a number or a group'],
          ['--direction <way>', 'only messages that come in, or go out: in or out'],
          ['--states <states>', 'only these, with commas between, as in COMPLETED,failed'],
          ['--include-text', 'words and names too; without it ids, kinds and times'],
          ['--name <name>', 'what to call it (default: its host)'],
        ],
        values: { '--events': WEBHOOK_EVENTS, '--direction': ['in', 'out'] },
        load: () => import('../commands/webhook/add.ts'),
      },
      {
        name: 'list',
        group,
        summary: 'show them, and how each goes',
        load: () => import('../commands/webhook/list.ts'),
      },
      {
        name: 'remove',
        group,
        summary: 'end one, and the record of what it was told',
        arguments: [WHICH],
        load: () => import('../commands/webhook/remove.ts'),
      },
      {
        name: 'test',
        group,
        summary: 'send it a ping now',
        arguments: [WHICH],
        load: () => import('../commands/webhook/test.ts'),
      },
      {
        name: 'deliveries',
        group,
        summary: 'show what it was told, the newest first',
        arguments: [WHICH],
        options: [
          ['--dead', 'only what was given up on'],
          ['-n, --limit <count>', 'how many, 200 at most', '50'],
        ],
        load: () => import('../commands/webhook/deliveries.ts'),
      },
      {
        name: 'replay',
        group,
        summary: 'tell it something again',
        arguments: [
          WHICH,
          { syntax: '[id]', summary: 'which delivery, or the beginning of its id' },
        ],
        options: [['--dead', 'all that was given up on']],
        load: () => import('../commands/webhook/replay.ts'),
      },
      {
        name: 'rotate',
        group,
        summary: 'make a new secret; for a day the one before signs too',
        arguments: [WHICH],
        load: () => import('../commands/webhook/rotate.ts'),
      },
      {
        name: 'off',
        group,
        summary: 'tell it nothing until it is on again',
        arguments: [WHICH],
        load: () => import('../commands/webhook/off.ts'),
      },
      {
        name: 'on',
        group,
        summary: 'tell it what happens from now on',
        arguments: [WHICH],
        load: () => import('../commands/webhook/on.ts'),
      },
    ],
  },
];
