// The commands about people: whom Relay knows, and what agents may do with each.
import type { CommandSpec } from '../command.ts';

const WHO = { syntax: '<who>', summary: 'a name, a phone number or a group' } as const;
const GROUP: readonly [string, string] = ['--group', 'a group is meant, not a person'];

export const PEOPLE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'contacts',
    group: 'People',
    summary: 'see whom Relay knows, their grants, and who knocks',
    arguments: [{ syntax: '[query]', summary: 'a name or a part of it, or a phone number' }],
    options: [
      ['--knocks', 'only those who wrote without a grant'],
      ['-n, --limit <count>', 'how many at most', '100'],
    ],
    load: () => import('../commands/contacts/list.ts'),
    subcommands: [
      {
        name: 'dismiss',
        group: 'People',
        summary: 'no longer show a knock; whoever writes again knocks again',
        arguments: [WHO],
        load: () => import('../commands/contacts/dismiss.ts'),
      },
    ],
  },
  {
    name: 'grant',
    group: 'People',
    summary: 'allow agents to read and answer somebody',
    arguments: [WHO],
    options: [
      ['--read', 'they may be read; the default for somebody new'],
      ['--reply', 'they may be answered'],
      ['--draft', 'they may be answered, with your yes to each reply; may stand beside --reply'],
      ['--initiate', 'agents may begin conversations with them'],
      ['--name <name>', 'what you call them'],
      ['--persona <text>', 'how replies to them sound; an empty one takes it back'],
      ['--model <name>', 'which model answers them; an empty one takes it back'],
      ['--quiet <from-to>', 'no replies then, as in 22:00-07:00; an empty one ends it'],
      GROUP,
    ],
    load: () => import('../commands/grant.ts'),
  },
  {
    name: 'revoke',
    group: 'People',
    summary: 'take permissions back, also from what is queued',
    arguments: [WHO],
    options: [
      ['--read', 'only reading'],
      ['--reply', 'only answering'],
      ['--initiate', 'only beginning conversations'],
      ['--remove', 'forget the record as well: name, persona and all'],
      GROUP,
    ],
    load: () => import('../commands/revoke.ts'),
  },
];
