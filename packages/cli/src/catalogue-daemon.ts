// Catalogue entries for the commands about running Relay: the daemon, workers, the service, settings and diagnosis.
import type { CommandSpec } from './command.ts';

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

// The daemon and its workers.

export const DAEMON_COMMANDS: readonly CommandSpec[] = [
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
];
