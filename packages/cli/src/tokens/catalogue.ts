// The commands about tokens, as the table of all commands has them.
import { PROGRAM_SCOPES, SCOPE_WORDS } from '@relay/core/policy/scopes';
import type { CommandSpec } from '../command.ts';
import { rows } from '../format.ts';

const WHICH = { syntax: '<name>', summary: 'what you called it' } as const;

const SCOPES_EXPLAINED = `
Scopes, each for its own tools and nothing else:
${rows(PROGRAM_SCOPES.map((scope) => [scope, SCOPE_WORDS[scope]])).join('\n')}

What a program has read of one chat makes whatever it sends elsewhere wait for your yes.`;

export const TOKEN_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'token',
    group: 'You',
    summary: 'print your own token, or make one for a program',
    options: [['--rotate', 'make a new one for yourself; the old one stops working at once']],
    load: () => import('../commands/token/show.ts'),
    subcommands: [
      {
        name: 'create',
        group: 'You',
        summary: 'make a token for a program, and show it once',
        options: [
          ['--name <name>', 'what you call the program, as in claude'],
          ['--scopes <scopes>', 'what it may do, as in messages:read,messages:send'],
          ['--contacts <people>', 'the only people it may deal with, as in Mom,"+49 170 1234567"'],
          ['--no-confirm', 'do not ask anybody before it sends'],
          ['--expires <when>', 'when it ends, as in 90d or 2027-01-31 (default: never)'],
        ],
        more: SCOPES_EXPLAINED,
        load: () => import('../commands/token/create.ts'),
      },
      {
        name: 'list',
        group: 'You',
        summary: 'show the tokens there are: what each may do, and when it was last used',
        load: () => import('../commands/token/list.ts'),
      },
      {
        name: 'rotate',
        group: 'You',
        summary: 'give a token a new secret; the one before stops working at once',
        arguments: [WHICH],
        load: () => import('../commands/token/rotate.ts'),
      },
      {
        name: 'revoke',
        group: 'You',
        summary: 'end a token: what comes with it is refused, what it has waiting is not sent',
        arguments: [WHICH],
        load: () => import('../commands/token/revoke.ts'),
      },
    ],
  },
];
