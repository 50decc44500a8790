// The table of all commands. Help, parsing and shell completion are generated from it, and a command's code is loaded
// only when it runs.

import { MCP_COMMANDS, TOKEN_COMMANDS, WEBHOOK_COMMANDS } from './catalogue-clients.ts';
import {
  CONVERSATION_COMMANDS,
  OBSERVE_COMMANDS,
  PEOPLE_COMMANDS,
  SCHEDULE_COMMANDS,
} from './catalogue-people.ts';
import type { CommandSpec } from './command.ts';

// `relay memory import`.

const MEMORY_IMPORT_COMMAND: CommandSpec = {
  name: 'import',
  group: 'Your data',
  summary: 'make an old chat findable that you exported from WhatsApp',
  arguments: [{ syntax: '<file>', summary: 'the .txt or .zip that WhatsApp exported', file: true }],
  options: [
    ['--chat <who>', 'which chat it is: a name or a number (default: by the name of the file)'],
    ['--me <name>', 'what you are called in it'],
    ['--date-order <order>', 'how its dates are written: dmy, mdy or ymd'],
    ['--zone <name>', 'whose clocks its times are of, as in Europe/Berlin (default: yours)'],
  ],
  values: { '--date-order': ['dmy', 'mdy', 'ymd'] },
  load: async () => (await import('./commands/memory.ts')).importChatExportCommand,
};

// `relay memory outside`.

const DIGEST_EXPORT_COMMAND: CommandSpec = {
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
  load: async () => (await import('./commands/memory.ts')).configureDigestExportCommand,
};

// Memory.

const MEMORY_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'memory',
    group: 'Your data',
    summary: 'see how what was said is found by its meaning, and choose how',
    load: async () => (await import('./commands/memory.ts')).showMemoryStatusCommand,
    subcommands: [
      MEMORY_IMPORT_COMMAND,
      DIGEST_EXPORT_COMMAND,
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
        load: async () => (await import('./commands/memory.ts')).chooseEmbeddingsCommand,
      },
    ],
  },
];

// Settings.

const CONFIG_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'config',
    group: 'Daemon',
    summary: 'see every setting: its value, where it comes from, what it means',
    arguments: [{ syntax: '[part]', summary: 'only those with this in their name, as in: pacing' }],
    load: async () => (await import('./commands/config.ts')).listConfigSettingsCommand,
    subcommands: [
      {
        name: 'list',
        group: 'Daemon',
        summary: 'show every setting',
        arguments: [
          { syntax: '[part]', summary: 'only those with this in their name, as in: pacing' },
        ],
        load: async () => (await import('./commands/config.ts')).listConfigSettingsCommand,
      },
      {
        name: 'schema',
        group: 'Daemon',
        summary: 'print the JSON schema of relay.config.json, for editors',
        load: async () => (await import('./commands/config.ts')).printConfigSchemaCommand,
      },
    ],
  },
];

// The service.

const SERVICE_GROUP = 'Daemon' as const;

const SERVICE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'service',
    group: SERVICE_GROUP,
    summary: 'let the system start the daemon: systemd, launchd, Windows tasks',
    load: async () => (await import('./commands/service/service.ts')).showServiceStatusCommand,
    subcommands: [
      {
        name: 'install',
        group: SERVICE_GROUP,
        summary: 'start with the system from now on, and again after a failure',
        options: [['--print', 'only show what would be written']],
        load: async () => (await import('./commands/service/service.ts')).installServiceCommand,
      },
      {
        name: 'uninstall',
        group: SERVICE_GROUP,
        summary: 'no longer; the home stays as it is',
        load: async () => (await import('./commands/service/service.ts')).uninstallServiceCommand,
      },
      {
        name: 'status',
        group: SERVICE_GROUP,
        summary: 'show whether it is a service, and whether it runs',
        load: async () => (await import('./commands/service/service.ts')).showServiceStatusCommand,
      },
    ],
  },
];

const PHONE_OPTION: readonly [string, string] = [
  '--phone <number>',
  'link with a code to type on this phone instead of a QR code',
];

const BACKUP_HELP = `
By the clock: set "backup": { "every": "day", "keep": 7, "folder": "/mnt/disk/relay" } in relay.config.json,
or look at Settings in the console. \`relay import\` brings one back into an empty home.`;

export const CLI_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'init',
    group: 'WhatsApp',
    summary: 'set Relay up and link your WhatsApp account',
    options: [
      PHONE_OPTION,
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
    load: async () => (await import('./commands/init.ts')).initRelayCommand,
  },
  {
    name: 'whatsapp',
    group: 'WhatsApp',
    summary: 'connect, disconnect, or see how the link is',
    load: async () => (await import('./commands/whatsapp.ts')).showWhatsappStatusCommand,
    subcommands: [
      {
        name: 'connect',
        group: 'WhatsApp',
        summary: 'connect, and link if need be',
        options: [PHONE_OPTION],
        load: async () => (await import('./commands/whatsapp-link.ts')).connectWhatsappCommand,
      },
      {
        name: 'disconnect',
        group: 'WhatsApp',
        summary: 'disconnect; the link stays',
        options: [['--clear-session', 'unlink this device too; linking again needs your phone']],
        load: async () => (await import('./commands/whatsapp.ts')).disconnectWhatsappCommand,
      },
      {
        name: 'status',
        group: 'WhatsApp',
        summary: 'show the link and its health',
        load: async () => (await import('./commands/whatsapp.ts')).showWhatsappStatusCommand,
      },
    ],
  },
  {
    name: 'messages',
    group: 'WhatsApp',
    summary: 'read the last messages, or write one',
    arguments: [{ syntax: '[contact]', summary: 'digits of a phone number; all without' }],
    options: [['-n, --limit <count>', 'how many, 100 at most', '50']],
    load: async () => (await import('./commands/messages.ts')).listMessagesCommand,
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
        load: async () => (await import('./commands/messages.ts')).sendMessageCommand,
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
    load: async () => (await import('./commands/search.ts')).searchMessagesCommand,
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
    load: async () => (await import('./commands/digest.ts')).showDigestsCommand,
  },
  ...CONVERSATION_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...OBSERVE_COMMANDS,
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
    load: async () => (await import('./commands/chat/chat.ts')).chatWithAssistantCommand,
  },
  {
    name: 'approvals',
    group: 'You',
    summary: 'see what waits for your yes, and answer it',
    options: [['--state <state>', 'pending, approved, rejected or expired', 'pending']],
    load: async () => (await import('./commands/approvals.ts')).listApprovalsCommand,
    subcommands: [
      {
        name: 'list',
        group: 'You',
        summary: 'show what waits, with its recipient and words',
        options: [['--state <state>', 'pending, approved, rejected or expired', 'pending']],
        load: async () => (await import('./commands/approvals.ts')).listApprovalsCommand,
      },
      {
        name: 'approve',
        group: 'You',
        summary: 'say yes: exactly what was shown is sent',
        arguments: [{ syntax: '[id]', summary: 'which; not needed when only one waits' }],
        load: async () => (await import('./commands/approvals.ts')).approveApprovalCommand,
      },
      {
        name: 'edit',
        group: 'You',
        summary: 'choose other words: nothing is sent before a new yes',
        arguments: [
          { syntax: '<id>', summary: 'which' },
          { syntax: '<text...>', summary: 'the words that are to wait instead' },
        ],
        load: async () => (await import('./commands/approvals.ts')).editApprovalCommand,
      },
      {
        name: 'reject',
        group: 'You',
        summary: 'say no',
        arguments: [{ syntax: '[id]', summary: 'which; not needed when only one waits' }],
        options: [['--reason <text>', 'why; the agent of the conversation reads it']],
        load: async () => (await import('./commands/approvals.ts')).rejectApprovalCommand,
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
    load: async () => (await import('./commands/messages.ts')).explainMessageCommand,
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
    load: async () => (await import('./commands/ledger.ts')).showLedgerCommand,
  },
  {
    name: 'hold',
    group: 'You',
    summary: 'stop all sending at once',
    arguments: [{ syntax: '[reason...]', summary: 'why, for your own record' }],
    load: async () => (await import('./commands/hold.ts')).holdSendingCommand,
  },
  {
    name: 'release',
    group: 'You',
    summary: 'end the hold',
    load: async () => (await import('./commands/hold.ts')).releaseSendingCommand,
  },
  {
    name: 'start',
    group: 'Daemon',
    summary: 'start the daemon in the background',
    options: [['--foreground', 'stay in this terminal; Ctrl-C stops it']],
    load: async () => (await import('./commands/daemon.ts')).startRelayCommand,
  },
  {
    name: 'stop',
    group: 'Daemon',
    summary: 'flush everything to disk and stop the daemon',
    load: async () => (await import('./commands/daemon.ts')).stopRelayCommand,
  },
  ...SERVICE_COMMANDS,
  ...CONFIG_COMMANDS,
  {
    name: 'status',
    group: 'Daemon',
    summary: 'show whether all is well',
    load: async () => (await import('./commands/status.ts')).showStatusCommand,
  },
  {
    name: 'top',
    group: 'Daemon',
    summary: 'watch how it is: link, messages, work, spend, last decisions',
    options: [['-f, --follow', 'go on where nobody looks at a terminal, too']],
    load: async () => (await import('./commands/top.ts')).showTopCommand,
  },
  {
    name: 'doctor',
    group: 'Daemon',
    summary: 'find out what is wrong and how to mend it',
    options: [['--full', 'compute every row of the ledger anew']],
    load: async () => (await import('./commands/doctor.ts')).runDoctorCommand,
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
    load: async () => (await import('./commands/eval.ts')).runEvalCommand,
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
    load: async () => (await import('./commands/logs.ts')).showLogsCommand,
  },
  {
    name: 'open',
    group: 'You',
    summary: 'sign in to the console in your browser',
    options: [['--print', 'only print the address']],
    load: async () => (await import('./commands/open.ts')).openConsoleCommand,
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
    load: async () => (await import('./commands/backup.ts')).exportArchiveCommand,
  },
  {
    name: 'backup',
    group: 'Your data',
    summary: 'back everything up, now or by the clock',
    options: [
      ['--to <folder>', 'there instead of the folder of backups; nothing older is removed'],
    ],
    helpFooter: BACKUP_HELP,
    load: async () => (await import('./commands/backup.ts')).makeBackupCommand,
    subcommands: [
      {
        name: 'list',
        group: 'Your data',
        summary: 'show which there are, and when the next is made',
        load: async () => (await import('./commands/backup.ts')).listBackupsCommand,
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
    load: async () => (await import('./commands/backup.ts')).importArchiveCommand,
  },
  {
    name: 'retention',
    group: 'Your data',
    summary: 'show how old what is kept is, against its limits',
    load: async () => (await import('./commands/retention.ts')).showRetentionCommand,
    subcommands: [
      {
        name: 'run',
        group: 'Your data',
        summary: 'delete what is too old now, and leave no byte of it',
        load: async () => (await import('./commands/retention.ts')).runRetentionCommand,
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
    load: async () => (await import('./commands/retention.ts')).forgetContactCommand,
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
    load: async () => (await import('./commands/demo/demo.ts')).runDemoCommand,
  },
  {
    name: 'completion',
    group: 'Shell',
    summary: 'print a completion script for your shell',
    arguments: [
      { syntax: '<shell>', summary: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] },
    ],
    load: async () => (await import('./commands/completion.ts')).printCompletionCommand,
  },
];
