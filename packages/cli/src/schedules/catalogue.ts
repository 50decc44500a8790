// The commands about messages for later, as the table of all commands has them.
import type { CommandSpec } from '../command.ts';

const STATE = ['--state <state>', 'active, done, cancelled or all', 'active'] as const;

export const SCHEDULE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'schedule',
    group: 'You',
    summary: 'send a message later, once or again and again',
    arguments: [
      { syntax: '[when]', summary: 'as in "every weekday 9am", "tomorrow 14:30", "in 2 hours"' },
      { syntax: '[text]', summary: 'what to say' },
    ],
    options: [
      ['--to <who>', 'a name, a number, or me'],
      ['--once <time>', 'instead of words: once, as in "2026-12-24 18:00"'],
      ['--daily <time>', 'every day, as in 09:00'],
      ['--weekly <days@time>', 'as in mon,fri@18:00'],
      ['--cron <expression>', 'five fields, as in "0 9 * * mon-fri"'],
      ['--zone <zone>', 'the time zone, as in Europe/Berlin (default: yours)'],
      [
        '--catch-up <rule>',
        'what becomes of those that Relay was not there for: skip, once or all',
      ],
      ['-y, --yes', 'save it without being asked'],
    ],
    values: { '--catch-up': ['skip', 'once', 'all'] },
    load: () => import('../commands/schedule/create.ts'),
    subcommands: [
      {
        name: 'list',
        group: 'You',
        summary: 'show what is scheduled, and when it comes next',
        options: [STATE],
        values: { '--state': ['active', 'done', 'cancelled', 'all'] },
        load: () => import('../commands/schedule/list.ts'),
      },
      {
        name: 'cancel',
        group: 'You',
        summary: 'cancel one: nothing more comes of it',
        arguments: [{ syntax: '<id>', summary: 'which, or the beginning of its id' }],
        load: () => import('../commands/schedule/cancel.ts'),
      },
    ],
  },
];
