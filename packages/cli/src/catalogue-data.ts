// Catalogue entries for the commands about the owner's data: memory, archives, backups, retention and erasure.
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

export const MEMORY_COMMANDS: readonly CommandSpec[] = [
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

// Archives, backups and retention.

const BACKUP_HELP = `
To back up automatically, set "backup": { "every": "day", "keep": 7, "copy_to": "/mnt/nas/relay" } in relay.config.json,
or use Settings in the console. \`relay import\` restores a backup into an empty home.`;

export const DATA_COMMANDS: readonly CommandSpec[] = [
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
        summary: 'Check that a backup can be restored; changes nothing',
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
];
