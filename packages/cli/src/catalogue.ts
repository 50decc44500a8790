// Every command once: help, parsing and shell completion are made from this table, and each
// command's code is loaded only when it runs.
import type { CommandSpec } from './command.ts';

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'start',
    group: 'Daemon',
    summary: 'start the daemon in the background',
    options: [['--foreground', 'stay in this terminal; Ctrl-C stops it']],
    load: () => import('./commands/start.ts'),
  },
  {
    name: 'stop',
    group: 'Daemon',
    summary: 'flush everything to disk and stop the daemon',
    load: () => import('./commands/stop.ts'),
  },
  {
    name: 'status',
    group: 'Daemon',
    summary: 'show whether all is well',
    load: () => import('./commands/status.ts'),
  },
  {
    name: 'doctor',
    group: 'Daemon',
    summary: 'find out what is wrong and how to mend it',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'logs',
    group: 'Daemon',
    summary: 'show what the daemon wrote down',
    options: [
      ['-f, --follow', 'go on as lines come in'],
      ['-n, --lines <count>', 'how many lines to begin with', '50'],
      ['--level <level>', 'leave out what is below: debug, info, warn or error'],
    ],
    load: () => import('./commands/logs.ts'),
  },
  {
    name: 'open',
    group: 'You',
    summary: 'sign in to the console in your browser',
    options: [['--print', 'only print the address']],
    load: () => import('./commands/open.ts'),
  },
  {
    name: 'token',
    group: 'You',
    summary: 'print the token your programs use',
    options: [['--rotate', 'make a new one; the old one stops working at once']],
    load: () => import('./commands/token.ts'),
  },
  {
    name: 'export',
    group: 'Your data',
    summary: 'save everything to an archive',
    argument: {
      syntax: '[file]',
      summary: 'where to (default: relay-YYYY-MM-DD.tar.gz)',
      file: true,
    },
    options: [['--force', 'replace the file if it exists']],
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'import',
    group: 'Your data',
    summary: 'bring an archive into an empty home',
    argument: { syntax: '<file>', summary: 'an archive made by `relay export`', file: true },
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'demo',
    group: 'You',
    summary: 'try Relay with a WhatsApp and a model that are not real',
    options: [
      ['--headless', 'for programs: no screen; ends with its standard input'],
      ['--port <port>', 'where its API listens (default: any free one)'],
      ['--home <folder>', 'where it lives (default: a temporary one, deleted at the end)'],
    ],
    load: () => import('./commands/demo/demo.ts'),
  },
  {
    name: 'completion',
    group: 'Shell',
    summary: 'print a completion script for your shell',
    argument: {
      syntax: '<shell>',
      summary: 'bash, zsh or fish',
      choices: ['bash', 'zsh', 'fish'],
    },
    load: () => import('./commands/completion.ts'),
  },
];
