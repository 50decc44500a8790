// Every command once: help, parsing and shell completion are made from this table, and each
// command's code is loaded only when it runs.
import type { CommandSpec } from './command.ts';
import { CONVERSATION_COMMANDS } from './conversations/catalogue.ts';
import { MCP_COMMANDS } from './mcp/catalogue.ts';
import { MEMORY_COMMANDS } from './memory/catalogue.ts';
import { OBSERVING_COMMANDS } from './observing/catalogue.ts';
import { PEOPLE_COMMANDS } from './people/catalogue.ts';
import { SCHEDULE_COMMANDS } from './schedules/catalogue.ts';
import { SERVICE_COMMANDS } from './service/catalogue.ts';
import { CONFIG_COMMANDS } from './settings/catalogue.ts';
import { TOKEN_COMMANDS } from './tokens/catalogue.ts';
import { WEBHOOK_COMMANDS } from './webhooks/catalogue.ts';

const PHONE: readonly [string, string] = [
  '--phone <number>',
  'link with a code to type on this phone instead of a QR code',
];

const BY_THE_CLOCK = `
By the clock: set "backup": { "every": "day", "keep": 7, "folder": "/mnt/disk/relay" } in relay.config.json,
or look at Settings in the console. \`relay import\` brings one back into an empty home.`;

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'init',
    group: 'WhatsApp',
    summary: 'set Relay up and link your WhatsApp account',
    options: [
      PHONE,
      ['--provider <name>', 'whose models your agents use: anthropic, openai, google, ollama, …'],
      ['--model <name>', 'which of them, if not the usual one'],
      ['--base-url <url>', "where a server that speaks OpenAI's protocol is"],
      ['--api-key', 'read the key of the models from standard input'],
      ['--brave-key', 'read the key of the web search (Brave Search API) from standard input'],
      ['--skip-model', 'do not ask for a model now'],
      ['--skip-link', 'do not link WhatsApp now'],
      ['--skip-probe', 'do not send a message to yourself'],
      ['--skip-grants', 'do not ask who may be read and answered'],
    ],
    load: () => import('./commands/init.ts'),
  },
  {
    name: 'whatsapp',
    group: 'WhatsApp',
    summary: 'connect, disconnect, or see how the link is',
    load: () => import('./commands/whatsapp/status.ts'),
    subcommands: [
      {
        name: 'connect',
        group: 'WhatsApp',
        summary: 'connect, and link if need be',
        options: [PHONE],
        load: () => import('./commands/whatsapp/connect.ts'),
      },
      {
        name: 'disconnect',
        group: 'WhatsApp',
        summary: 'disconnect; the link stays',
        options: [['--clear-session', 'unlink this device too; linking again needs your phone']],
        load: () => import('./commands/whatsapp/disconnect.ts'),
      },
      {
        name: 'status',
        group: 'WhatsApp',
        summary: 'show the link and its health',
        load: () => import('./commands/whatsapp/status.ts'),
      },
    ],
  },
  {
    name: 'messages',
    group: 'WhatsApp',
    summary: 'read the last messages, or write one',
    arguments: [{ syntax: '[contact]', summary: 'digits of a phone number; all without' }],
    options: [['-n, --limit <count>', 'how many, 100 at most', '50']],
    load: () => import('./commands/messages/list.ts'),
    subcommands: [
      {
        name: 'send',
        group: 'WhatsApp',
        summary: 'write to somebody as yourself',
        arguments: [
          { syntax: '<to>', summary: 'a phone number in international form' },
          { syntax: '<text>', summary: 'what to say' },
        ],
        options: [['--key <key>', 'the same key never sends twice']],
        load: () => import('./commands/messages/send.ts'),
      },
    ],
  },
  {
    name: 'search',
    group: 'WhatsApp',
    summary: 'find what was said: words, "a phrase", names, times',
    arguments: [{ syntax: '<words...>', summary: 'as in: dinner with Ana last week' }],
    options: [
      ['--in <chat>', 'only in this chat: a name, a number or an address'],
      ['--from <person>', 'only what this person said; `me` is yourself'],
      ['--since <day>', 'a date, or words such as friday or last week'],
      ['--until <day>', 'that day included'],
      ['-n, --limit <count>', 'how many, 100 at most', '10'],
    ],
    load: () => import('./commands/search/search.ts'),
  },
  {
    name: 'digest',
    group: 'WhatsApp',
    summary: 'read what was said in the groups you observe',
    arguments: [{ syntax: '[group...]', summary: 'its name or a part of it; all without' }],
    options: [
      ['--day <day>', 'today, yesterday, a weekday or a date; the last that has something without'],
      ['--hours', 'the digests of the hours too'],
    ],
    load: () => import('./commands/digest/digest.ts'),
  },
  ...CONVERSATION_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...OBSERVING_COMMANDS,
  ...MEMORY_COMMANDS,
  {
    name: 'chat',
    group: 'You',
    summary: 'talk to your assistant',
    arguments: [
      { syntax: '[question...]', summary: 'one question; without it you talk until you leave' },
    ],
    options: [
      ['--new', 'begin afresh: nothing said before is remembered'],
      ['--history <count>', 'show what was said last, 200 lines at most'],
    ],
    load: () => import('./commands/chat.ts'),
  },
  {
    name: 'approvals',
    group: 'You',
    summary: 'see what waits for your yes, and answer it',
    options: [['--state <state>', 'pending, approved, rejected or expired', 'pending']],
    load: () => import('./commands/approvals/list.ts'),
    subcommands: [
      {
        name: 'list',
        group: 'You',
        summary: 'show what waits, with its recipient and words',
        options: [['--state <state>', 'pending, approved, rejected or expired', 'pending']],
        load: () => import('./commands/approvals/list.ts'),
      },
      {
        name: 'approve',
        group: 'You',
        summary: 'say yes: exactly what was shown is sent',
        arguments: [{ syntax: '[id]', summary: 'which; not needed when only one waits' }],
        load: () => import('./commands/approvals/approve.ts'),
      },
      {
        name: 'edit',
        group: 'You',
        summary: 'choose other words: nothing is sent before a new yes',
        arguments: [
          { syntax: '<id>', summary: 'which' },
          { syntax: '<text...>', summary: 'the words that are to wait instead' },
        ],
        load: () => import('./commands/approvals/edit.ts'),
      },
      {
        name: 'reject',
        group: 'You',
        summary: 'say no',
        arguments: [{ syntax: '[id]', summary: 'which; not needed when only one waits' }],
        options: [['--reason <text>', 'why; the agent of the conversation reads it']],
        load: () => import('./commands/approvals/reject.ts'),
      },
    ],
  },
  ...SCHEDULE_COMMANDS,
  ...WEBHOOK_COMMANDS,
  {
    name: 'why',
    group: 'You',
    summary: 'say in one sentence what became of a message, or who caused it',
    arguments: [
      { syntax: '<message-id>', summary: 'as `relay messages` shows it; its beginning is enough' },
    ],
    options: [['--chat <id>', 'which chat, when several hold a message of this id']],
    load: () => import('./commands/why.ts'),
  },
  {
    name: 'ledger',
    group: 'You',
    summary: 'show what was decided, by whom, about whom, and why',
    options: [
      ['-f, --follow', 'go on as decisions are made'],
      ['-n, --limit <count>', 'how many, 500 at most', '50'],
      ['--since <when>', 'only from then on: `2h`, `3d`, `2026-11-14 09:00`'],
      ['--actor <who>', 'only of one: you, router, auto_reply, assistant, conversation, …'],
      ['--denied', 'only what was refused'],
    ],
    load: () => import('./commands/ledger.ts'),
  },
  {
    name: 'hold',
    group: 'You',
    summary: 'stop all sending at once',
    arguments: [{ syntax: '[reason...]', summary: 'why, for your own record' }],
    load: () => import('./commands/hold.ts'),
  },
  {
    name: 'release',
    group: 'You',
    summary: 'end the hold',
    load: () => import('./commands/release.ts'),
  },
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
  ...SERVICE_COMMANDS,
  ...CONFIG_COMMANDS,
  {
    name: 'status',
    group: 'Daemon',
    summary: 'show whether all is well',
    load: () => import('./commands/status.ts'),
  },
  {
    name: 'top',
    group: 'Daemon',
    summary: 'watch how it is: link, messages, work, spend, last decisions',
    options: [['-f, --follow', 'go on where nobody looks at a terminal, too']],
    load: () => import('./commands/top.ts'),
  },
  {
    name: 'doctor',
    group: 'Daemon',
    summary: 'find out what is wrong and how to mend it',
    options: [['--full', 'compute every row of the ledger anew']],
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'eval',
    group: 'Daemon',
    summary: 'measure how well your model does what observed groups need of it',
    options: [
      ['--set <set>', 'trigger, digest or all', 'all'],
      ['--limit <count>', 'only so many cases and days, spread over the sets'],
      ['-y, --yes', 'do not ask before it spends tokens'],
    ],
    values: { '--set': ['trigger', 'digest', 'all'] },
    load: () => import('./commands/eval/eval.ts'),
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
  ...TOKEN_COMMANDS,
  ...MCP_COMMANDS,
  {
    name: 'export',
    group: 'Your data',
    summary: 'save everything to an archive',
    arguments: [
      {
        syntax: '[file]',
        summary: 'where to (default: relay-YYYY-MM-DD.tar.gz)',
        file: true,
      },
    ],
    options: [['--force', 'replace the file if it exists']],
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'backup',
    group: 'Your data',
    summary: 'back everything up, now or by the clock',
    options: [
      ['--to <folder>', 'there instead of the folder of backups; nothing older is removed'],
    ],
    more: BY_THE_CLOCK,
    load: () => import('./commands/backup/make.ts'),
    subcommands: [
      {
        name: 'list',
        group: 'Your data',
        summary: 'show which there are, and when the next is made',
        load: () => import('./commands/backup/list.ts'),
      },
    ],
  },
  {
    name: 'import',
    group: 'Your data',
    summary: 'bring an archive into an empty home',
    arguments: [
      {
        syntax: '<file>',
        summary: 'an archive made by `relay export` or `relay backup`',
        file: true,
      },
    ],
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'retention',
    group: 'Your data',
    summary: 'show how old what is kept is, against its limits',
    load: () => import('./commands/retention/status.ts'),
    subcommands: [
      {
        name: 'run',
        group: 'Your data',
        summary: 'delete what is too old now, and leave no byte of it',
        load: () => import('./commands/retention/run.ts'),
      },
    ],
  },
  {
    name: 'forget',
    group: 'Your data',
    summary: 'erase a person or a group for good',
    arguments: [{ syntax: '<who>', summary: 'a name, a phone number or a group' }],
    options: [
      ['--group', 'a group is meant, not a person'],
      ['--yes', 'do not ask'],
    ],
    load: () => import('./commands/forget.ts'),
  },
  {
    name: 'demo',
    group: 'You',
    summary: 'try Relay with a WhatsApp and a model that are not real',
    options: [
      ['--no-open', 'print the addresses, open no browser'],
      ['--headless', 'for programs: no scene and no page; ends with its standard input'],
      ['--port <port>', 'where its API listens (default: any free one)'],
      [
        '--home <folder>',
        'where a headless one lives (default: a temporary one, deleted at the end)',
      ],
    ],
    load: () => import('./commands/demo/demo.ts'),
  },
  {
    name: 'completion',
    group: 'Shell',
    summary: 'print a completion script for your shell',
    arguments: [
      { syntax: '<shell>', summary: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] },
    ],
    load: () => import('./commands/completion.ts'),
  },
];
