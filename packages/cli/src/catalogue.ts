// The table of all commands. Help, parsing and shell completion are generated from it, and a command's code is loaded
// only when it runs.

import { PROVIDER_NAMES } from '@relay/contract/agent/providers';
import {
  ACCOUNT_COMMANDS,
  MCP_COMMANDS,
  NOTIFICATION_COMMANDS,
  REMOTE_COMMANDS,
  TOKEN_COMMANDS,
  WEBHOOK_COMMANDS,
} from './catalogue-clients.ts';
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
  summary: 'Import a chat that you exported from WhatsApp',
  arguments: [{ syntax: '<file>', summary: 'The .txt or .zip file from WhatsApp', file: true }],
  options: [
    ['--chat <who>', 'The chat: a name or a number (default: taken from the file name)'],
    ['--me <name>', 'Your name in the exported chat'],
    ['--date-order <order>', 'Order of day, month and year in its dates: dmy, mdy or ymd'],
    ['--zone <name>', 'Time zone of its times, such as Europe/Berlin (default: yours)'],
  ],
  values: { '--date-order': ['dmy', 'mdy', 'ymd'] },
  load: async () => (await import('./commands/memory.ts')).importChatExportCommand,
};

// `relay memory outside`.

const DIGEST_EXPORT_COMMAND: CommandSpec = {
  name: 'outside',
  group: 'Your data',
  summary: 'Export digests and facts to a folder, a webhook, or both',
  options: [
    ['--folder <path>', 'Write JSON lines there, one file per day; an empty value turns it off'],
    ['--webhook <url>', 'Send them there, signed; an empty value turns it off'],
    ['--device-id <id>', 'Device id written to each line'],
    ['--hourly', 'Include hourly digests'],
    ['--no-hourly', 'Only daily digests'],
    ['--rotate-secret', 'Create a new secret for the webhook'],
  ],
  load: async () => (await import('./commands/memory.ts')).configureDigestExportCommand,
};

// Memory.

const MEMORY_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'memory',
    group: 'Your data',
    summary: 'Show how search by meaning is set up',
    load: async () => (await import('./commands/memory.ts')).showMemoryStatusCommand,
    subcommands: [
      MEMORY_IMPORT_COMMAND,
      DIGEST_EXPORT_COMMAND,
      {
        name: 'embeddings',
        group: 'Your data',
        summary: 'Choose search by meaning (local model or endpoint) or by words only',
        arguments: [
          {
            syntax: '<how>',
            summary: 'off, local (English only, runs on this machine) or endpoint',
            choices: ['off', 'local', 'endpoint'],
          },
        ],
        options: [
          ['--base-url <url>', 'Address of the endpoint, such as https://api.openai.com/v1'],
          ['--model <name>', 'Model name'],
          ['--key', 'Read its API key from standard input'],
          ['-y, --yes', 'Do not ask for confirmation'],
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
    summary: 'Show all settings: value, source and meaning',
    arguments: [
      { syntax: '[part]', summary: 'Only settings whose name contains this, such as pacing' },
    ],
    load: async () => (await import('./commands/config.ts')).listConfigSettingsCommand,
    subcommands: [
      {
        name: 'list',
        group: 'Daemon',
        summary: 'List all settings',
        arguments: [
          { syntax: '[part]', summary: 'Only settings whose name contains this, such as pacing' },
        ],
        load: async () => (await import('./commands/config.ts')).listConfigSettingsCommand,
      },
      {
        name: 'get',
        group: 'Daemon',
        summary: 'Print the value of one setting',
        arguments: [{ syntax: '<name>', summary: 'The setting, such as pacing.per_day' }],
        load: async () => (await import('./commands/config.ts')).getConfigSettingCommand,
      },
      {
        name: 'set',
        group: 'Daemon',
        summary: 'Change one setting',
        arguments: [
          { syntax: '<name>', summary: 'The setting, such as pacing.per_day' },
          { syntax: '<value>', summary: 'A word, a number, true or false, a list a,b or JSON' },
        ],
        load: async () => (await import('./commands/config.ts')).setConfigSettingCommand,
      },
      {
        name: 'unset',
        group: 'Daemon',
        summary: 'Restore the default of one setting',
        arguments: [{ syntax: '<name>', summary: 'The setting, such as pacing.per_day' }],
        load: async () => (await import('./commands/config.ts')).unsetConfigSettingCommand,
      },
      {
        name: 'schema',
        group: 'Daemon',
        summary: 'Print the JSON schema of relay.config.json, for editors',
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
    summary: 'Start the daemon with the system (systemd, launchd, Windows tasks)',
    load: async () => (await import('./commands/service/service.ts')).showServiceStatusCommand,
    subcommands: [
      {
        name: 'install',
        group: SERVICE_GROUP,
        summary: 'Install the service: start with the system and after a failure',
        options: [
          ['--user <name>', 'The account that a system service runs as; only for root'],
          ['--print', 'Show what would be written, and change nothing'],
        ],
        load: async () => (await import('./commands/service/service.ts')).installServiceCommand,
      },
      {
        name: 'uninstall',
        group: SERVICE_GROUP,
        summary: 'Remove the service; your data stays',
        load: async () => (await import('./commands/service/service.ts')).uninstallServiceCommand,
      },
      {
        name: 'status',
        group: SERVICE_GROUP,
        summary: 'Show whether the service is installed and running',
        load: async () => (await import('./commands/service/service.ts')).showServiceStatusCommand,
      },
    ],
  },
];

const PHONE_OPTION: readonly [string, string] = [
  '--phone <number>',
  'Link with a code that you type on this phone, instead of a QR code',
];

const BACKUP_HELP = `
To back up automatically, set "backup": { "every": "day", "keep": 7, "copy_to": "/mnt/nas/relay" } in relay.config.json,
or use Settings in the console. \`relay import\` restores a backup into an empty home.`;

export const CLI_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'init',
    group: 'WhatsApp',
    summary: 'Set up Relay and link your WhatsApp account',
    options: [
      PHONE_OPTION,
      ['--provider <name>', 'Model provider: anthropic, openai, openrouter, ollama, …'],
      ['--model <name>', 'Model name (default: the provider’s usual one)'],
      ['--base-url <url>', 'Address of the model’s API (default: the provider’s)'],
      ['--api-key', 'Read the model’s API key from standard input'],
      ['--no-verify', 'Save the model without asking it a test question first'],
      ['--brave-key', 'Read the API key of Brave Search (web search) from standard input'],
      ['--skip-model', 'Skip the model'],
      ['--skip-link', 'Skip linking WhatsApp'],
      ['--skip-probe', 'Skip the test message to yourself'],
      ['--skip-grants', 'Skip choosing who agents may read and answer'],
    ],
    values: { '--provider': PROVIDER_NAMES },
    load: async () => (await import('./commands/init.ts')).initRelayCommand,
  },
  {
    name: 'model',
    group: 'Daemon',
    summary: 'Show the model of your agents',
    load: async () => (await import('./commands/model.ts')).showModelCommand,
    subcommands: [
      {
        name: 'list',
        group: 'Daemon',
        summary: 'List the models of the provider',
        options: [
          ['--provider <name>', 'Another provider than the configured one'],
          ['--base-url <url>', 'Address of its API (default: the provider’s)'],
        ],
        values: { '--provider': PROVIDER_NAMES },
        load: async () => (await import('./commands/model.ts')).listModelsCommand,
      },
      {
        name: 'test',
        group: 'Daemon',
        summary: 'Ask the model one short question',
        load: async () => (await import('./commands/model.ts')).testModelCommand,
      },
    ],
  },
  {
    name: 'whatsapp',
    group: 'WhatsApp',
    summary: 'Show, connect or disconnect the WhatsApp account',
    load: async () => (await import('./commands/whatsapp.ts')).showWhatsappStatusCommand,
    subcommands: [
      {
        name: 'connect',
        group: 'WhatsApp',
        summary: 'Connect; link the account first if needed',
        options: [PHONE_OPTION],
        load: async () => (await import('./commands/whatsapp-link.ts')).connectWhatsappCommand,
      },
      {
        name: 'disconnect',
        group: 'WhatsApp',
        summary: 'Disconnect; the account stays linked',
        options: [['--clear-session', 'Also unlink this device; linking again needs your phone']],
        load: async () => (await import('./commands/whatsapp.ts')).disconnectWhatsappCommand,
      },
      {
        name: 'status',
        group: 'WhatsApp',
        summary: 'Show the state of the WhatsApp connection',
        load: async () => (await import('./commands/whatsapp.ts')).showWhatsappStatusCommand,
      },
    ],
  },
  {
    name: 'messages',
    group: 'WhatsApp',
    summary: 'Show recent messages, or send one',
    arguments: [{ syntax: '[contact]', summary: 'A phone number (default: all chats)' }],
    options: [['-n, --limit <count>', 'How many, up to 100', '50']],
    load: async () => (await import('./commands/messages.ts')).listMessagesCommand,
    subcommands: [
      {
        name: 'send',
        group: 'WhatsApp',
        summary: 'Send a message as yourself',
        arguments: [
          { syntax: '<to>', summary: 'Phone number in international form' },
          { syntax: '[text]', summary: 'The text, the caption, the emoji, or the poll’s question' },
        ],
        options: [
          ['--file <path>', 'Send this file'],
          ['--voice <path>', 'Send this recording (Ogg with Opus) as a voice message'],
          ['--react <id>', 'React to this message with the emoji; without one, take it back'],
          ['--edit <id>', 'Replace the text of this message of yours'],
          ['--delete <id>', 'Delete this message of yours for everyone'],
          ['--poll <options>', 'Ask which of these options, separated by |'],
          ['--location <place>', 'Send this place: latitude,longitude'],
          ['--reply-to <id>', 'Quote this message; `relay messages` shows the ids'],
          ['--at <time>', 'Send later, such as "tomorrow 9:00"'],
          ['--key <key>', 'Idempotency key: the same key never sends twice'],
        ],
        load: async () => (await import('./commands/messages.ts')).sendMessageCommand,
      },
    ],
  },
  {
    name: 'search',
    group: 'WhatsApp',
    summary: 'Search messages by words, "a phrase", names and times',
    arguments: [{ syntax: '<words...>', summary: 'Such as: dinner with Ana last week' }],
    options: [
      ['--in <chat>', 'Only this chat: a name, a number or a chat address'],
      ['--from <person>', 'Only messages from this person; `me` is you'],
      ['--since <day>', 'From this day on: a date, or words such as friday or last week'],
      ['--until <day>', 'Up to and including this day'],
      ['-n, --limit <count>', 'How many, up to 100', '10'],
    ],
    load: async () => (await import('./commands/search.ts')).searchMessagesCommand,
  },
  {
    name: 'digest',
    group: 'WhatsApp',
    summary: 'Show digests of observed groups',
    arguments: [{ syntax: '[group...]', summary: 'Name of a group, or part of it (default: all)' }],
    options: [
      ['--day <day>', 'today, yesterday, a weekday or a date (default: the latest digest)'],
      ['--hours', 'Include hourly digests'],
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
    summary: 'Talk to your assistant',
    arguments: [
      { syntax: '[question...]', summary: 'One question (default: an interactive chat)' },
    ],
    options: [
      ['--new', 'Start a new chat without earlier messages'],
      ['--history <count>', 'Show earlier messages, up to 200'],
    ],
    load: async () => (await import('./commands/chat/chat.ts')).chatWithAssistantCommand,
  },
  {
    name: 'approvals',
    group: 'You',
    summary: 'Show pending approvals, and approve or decline them',
    options: [['--state <state>', 'pending, approved, declined or expired', 'pending']],
    load: async () => (await import('./commands/approvals.ts')).listApprovalsCommand,
    subcommands: [
      {
        name: 'list',
        group: 'You',
        summary: 'List approvals with recipient and text',
        options: [['--state <state>', 'pending, approved, declined or expired', 'pending']],
        load: async () => (await import('./commands/approvals.ts')).listApprovalsCommand,
      },
      {
        name: 'approve',
        group: 'You',
        summary: 'Approve: send exactly the text shown',
        arguments: [{ syntax: '[id]', summary: 'Approval id; optional if only one is pending' }],
        load: async () => (await import('./commands/approvals.ts')).approveApprovalCommand,
      },
      {
        name: 'edit',
        group: 'You',
        summary: 'Change the text; the changed text needs a new approval',
        arguments: [
          { syntax: '<id>', summary: 'Approval id' },
          { syntax: '<text...>', summary: 'The new text' },
        ],
        options: [['--approve', 'Approve the new text at once']],
        load: async () => (await import('./commands/approvals.ts')).editApprovalCommand,
      },
      {
        name: 'reject',
        group: 'You',
        summary: 'Decline: the text is not sent',
        arguments: [{ syntax: '[id]', summary: 'Approval id; optional if only one is pending' }],
        options: [['--reason <text>', 'Reason; the conversation’s agent reads it']],
        load: async () => (await import('./commands/approvals.ts')).rejectApprovalCommand,
      },
    ],
  },
  ...SCHEDULE_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...NOTIFICATION_COMMANDS,
  {
    name: 'why',
    group: 'You',
    summary: 'Explain why a message was sent, answered or refused',
    arguments: [
      { syntax: '<message-id>', summary: 'Message id from `relay messages`, or its beginning' },
    ],
    options: [['--chat <id>', 'The chat, if several have a message with this id']],
    load: async () => (await import('./commands/messages.ts')).explainMessageCommand,
  },
  {
    name: 'ledger',
    group: 'You',
    summary: 'Show decisions: who decided what, about whom, and why',
    options: [
      ['-f, --follow', 'Keep showing new decisions'],
      ['-n, --limit <count>', 'How many, up to 500', '50'],
      ['--since <when>', 'Only from this time on: `2h`, `3d`, `2026-11-14 09:00`'],
      ['--actor <who>', 'Only one actor: you, router, auto_reply, assistant, conversation, …'],
      ['--denied', 'Only refused actions'],
    ],
    load: async () => (await import('./commands/ledger.ts')).showLedgerCommand,
  },
  {
    name: 'hold',
    group: 'You',
    summary: 'Stop all sending now',
    arguments: [{ syntax: '[reason...]', summary: 'Reason, for your own record' }],
    load: async () => (await import('./commands/hold.ts')).holdSendingCommand,
  },
  {
    name: 'release',
    group: 'You',
    summary: 'End the hold and continue sending',
    load: async () => (await import('./commands/hold.ts')).releaseSendingCommand,
  },
  {
    name: 'start',
    group: 'Daemon',
    summary: 'Start the daemon in the background',
    options: [
      ['--foreground', 'Run in this terminal with the log on standard output; Ctrl-C stops it'],
    ],
    load: async () => (await import('./commands/daemon.ts')).startRelayCommand,
  },
  {
    name: 'stop',
    group: 'Daemon',
    summary: 'Stop the daemon',
    load: async () => (await import('./commands/daemon.ts')).stopRelayCommand,
  },
  {
    name: 'worker',
    group: 'Daemon',
    summary: 'Run a worker: a process that holds accounts of a shared database',
    options: [
      ['--capacity <n>', 'How many accounts it may hold', '100'],
      ['--port <port>', 'Port of its health checks on this machine (default: a free one)'],
    ],
    helpFooter:
      'Needs DATABASE_URL, and the key of the database (RELAY_KEY_FILE). Start as many as you like, on any machines.',
    load: async () => (await import('./commands/workers.ts')).runWorkerCommand,
  },
  {
    name: 'api',
    group: 'Daemon',
    summary: 'Run the API and the console without holding accounts',
    options: [['--port <port>', 'Its port on this machine (default: that of your settings)']],
    helpFooter: 'Needs DATABASE_URL, and the key of the database (RELAY_KEY_FILE).',
    load: async () => (await import('./commands/workers.ts')).runApiCommand,
  },
  {
    name: 'workers',
    group: 'Daemon',
    summary: 'List the workers and the accounts they hold',
    load: async () => (await import('./commands/workers.ts')).listWorkersCommand,
  },
  ...SERVICE_COMMANDS,
  ...CONFIG_COMMANDS,
  {
    name: 'status',
    group: 'Daemon',
    summary: 'Show whether Relay is running, connected and sending',
    load: async () => (await import('./commands/status.ts')).showStatusCommand,
  },
  {
    name: 'top',
    group: 'Daemon',
    summary: 'Watch connection, messages, work, cost and recent decisions',
    options: [['-f, --follow', 'Keep running when the output is not a terminal']],
    load: async () => (await import('./commands/top.ts')).showTopCommand,
  },
  {
    name: 'doctor',
    group: 'Daemon',
    summary: 'Find problems and how to fix them',
    options: [['--full', 'Verify every row of the ledger']],
    load: async () => (await import('./commands/doctor.ts')).runDoctorCommand,
  },
  {
    name: 'eval',
    group: 'Daemon',
    summary: 'Measure how well your model handles observed groups',
    options: [
      ['--set <set>', 'trigger, digest or all', 'all'],
      ['--limit <count>', 'Only this many cases, spread over the sets'],
      ['-y, --yes', 'Do not ask before spending tokens'],
    ],
    values: { '--set': ['trigger', 'digest', 'all'] },
    load: async () => (await import('./commands/eval.ts')).runEvalCommand,
  },
  {
    name: 'logs',
    group: 'Daemon',
    summary: 'Show the daemon’s log',
    options: [
      ['-f, --follow', 'Keep showing new lines'],
      ['-n, --lines <count>', 'Number of lines to start with', '50'],
      ['--level <level>', 'Lowest level: debug, info, warn or error'],
    ],
    load: async () => (await import('./commands/logs.ts')).showLogsCommand,
  },
  {
    name: 'open',
    group: 'You',
    summary: 'Open the console in your browser',
    options: [['--print', 'Print the address instead']],
    load: async () => (await import('./commands/open.ts')).openConsoleCommand,
  },
  ...REMOTE_COMMANDS,
  ...ACCOUNT_COMMANDS,
  ...TOKEN_COMMANDS,
  ...MCP_COMMANDS,
  {
    name: 'export',
    group: 'Your data',
    summary: 'Save everything to an archive; one account with --account',
    arguments: [
      {
        syntax: '[file]',
        summary: 'The file (default: relay-YYYY-MM-DD.tar.gz)',
        file: true,
      },
    ],
    options: [['--force', 'Replace the file if it exists']],
    load: async () => (await import('./commands/backup.ts')).exportArchiveCommand,
  },
  {
    name: 'backup',
    group: 'Your data',
    summary: 'Make a backup now',
    options: [['--to <folder>', 'Another folder; older backups are kept']],
    helpFooter: BACKUP_HELP,
    load: async () => (await import('./commands/backup.ts')).makeBackupCommand,
    subcommands: [
      {
        name: 'list',
        group: 'Your data',
        summary: 'List backups and the time of the next one',
        load: async () => (await import('./commands/backup.ts')).listBackupsCommand,
      },
      {
        name: 'encrypt',
        group: 'Your data',
        summary: 'Encrypt new backups with a passphrase',
        options: [['--off', 'Do not encrypt new backups']],
        load: async () => (await import('./commands/backup.ts')).encryptBackupsCommand,
      },
      {
        name: 'drill',
        group: 'Your data',
        summary: 'Restore a backup on trial, verify it, and remove it again',
        arguments: [{ syntax: '[file]', summary: 'The backup (default: the newest)', file: true }],
        load: async () => (await import('./commands/backup.ts')).drillBackupCommand,
      },
    ],
  },
  {
    name: 'import',
    group: 'Your data',
    summary: 'Restore an archive into an empty home, or add its account to this home',
    arguments: [
      {
        syntax: '<file>',
        summary: 'An archive made by `relay export` or `relay backup`',
        file: true,
      },
    ],
    options: [['--as <name>', 'Add the one account of the archive to this home, under this name']],
    load: async () => (await import('./commands/backup.ts')).importArchiveCommand,
  },
  {
    name: 'retention',
    group: 'Your data',
    summary: 'Show what is stored, how old it is, and the limits',
    load: async () => (await import('./commands/retention.ts')).showRetentionCommand,
    subcommands: [
      {
        name: 'run',
        group: 'Your data',
        summary: 'Delete now what is older than its limit',
        load: async () => (await import('./commands/retention.ts')).runRetentionCommand,
      },
      {
        name: 'set',
        group: 'Your data',
        summary: 'Set how long messages of one chat are kept',
        arguments: [
          { syntax: '<who>', summary: 'Name, phone number or group' },
          {
            syntax: '<days>',
            summary: 'A number of days, `keep`, or `default` for the general limit',
          },
        ],
        load: async () => (await import('./commands/retention.ts')).setRetentionCommand,
      },
    ],
  },
  {
    name: 'forget',
    group: 'Your data',
    summary: 'Erase a person or a group permanently',
    arguments: [{ syntax: '<who>', summary: 'Name, phone number or group' }],
    options: [
      ['--group', 'This is a group, not a person'],
      ['--yes', 'Do not ask for confirmation'],
    ],
    load: async () => (await import('./commands/retention.ts')).forgetContactCommand,
  },
  {
    name: 'demo',
    group: 'You',
    summary: 'Try Relay without a phone or a model key',
    options: [
      ['--no-open', 'Print the addresses instead of opening a browser'],
      ['--headless', 'For scripts: no story and no page; ends with standard input'],
      ['--port <port>', 'Port of its API (default: a free one)'],
      ['--home <folder>', 'Folder of a headless demo (default: temporary, deleted at the end)'],
      ['--workers <n>', 'Of a headless demo: as many workers, apart from the API'],
      ['--accounts <n>', 'Of a headless demo with workers: as many linked accounts'],
    ],
    load: async () => (await import('./commands/demo/demo.ts')).runDemoCommand,
  },
  {
    name: 'completion',
    group: 'Shell',
    summary: 'Print a completion script for your shell',
    arguments: [
      { syntax: '<shell>', summary: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] },
    ],
    load: async () => (await import('./commands/completion.ts')).printCompletionCommand,
  },
];
