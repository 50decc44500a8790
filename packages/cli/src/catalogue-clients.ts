// Catalogue entries for the commands about access from outside: phones, tokens, webhooks and MCP.

import { CLIENT_SCOPES, SCOPE_DESCRIPTIONS } from '@relay/contract/policy/scopes';
import { WEBHOOK_EVENT_TYPES } from '@relay/contract/webhooks/event-types';
import type { CommandSpec } from './command.ts';
import { MCP_CLIENT_NAMES } from './commands/mcp/clients.ts';
import { formatRows } from './format.ts';

const TOKEN_ARGUMENT = { syntax: '<name>', summary: 'Name of the token' } as const;

const SCOPES_EXPLAINED = `
Scopes:
${formatRows(CLIENT_SCOPES.map((scope) => [scope, SCOPE_DESCRIPTIONS[scope]])).join('\n')}

After a client has read one chat, messages it sends to others need your approval.`;

// Accounts and their owners.

const ACCOUNT_ARGUMENT = { syntax: '<name>', summary: 'Name of the account' };

export const ACCOUNT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'accounts',
    group: 'WhatsApp',
    summary: 'List your accounts; add, rename and remove them',
    load: async () => (await import('./commands/accounts.ts')).listAccountsCommand,
    subcommands: [
      {
        name: 'list',
        group: 'WhatsApp',
        summary: 'List accounts with their states; * is the default one',
        load: async () => (await import('./commands/accounts.ts')).listAccountsCommand,
      },
      {
        name: 'add',
        group: 'WhatsApp',
        summary: 'Add an account, to which you can link another phone',
        arguments: [ACCOUNT_ARGUMENT],
        options: [['--owner <person>', 'The person it belongs to (default: you)']],
        load: async () => (await import('./commands/accounts.ts')).addAccountCommand,
      },
      {
        name: 'rename',
        group: 'WhatsApp',
        summary: 'Rename an account',
        arguments: [ACCOUNT_ARGUMENT, { syntax: '<new-name>', summary: 'Its new name' }],
        load: async () => (await import('./commands/accounts.ts')).renameAccountCommand,
      },
      {
        name: 'remove',
        group: 'WhatsApp',
        summary: 'Remove an account with all its messages',
        arguments: [ACCOUNT_ARGUMENT],
        options: [['-y, --yes', 'Do not ask for confirmation']],
        load: async () => (await import('./commands/accounts.ts')).removeAccountCommand,
      },
      {
        name: 'settings',
        group: 'WhatsApp',
        summary: 'Show the settings that an account has over those of the home',
        arguments: [ACCOUNT_ARGUMENT],
        load: async () => (await import('./commands/accounts.ts')).showAccountSettingsCommand,
      },
      {
        name: 'set',
        group: 'WhatsApp',
        summary: 'Change a setting of one account; without a value the home’s applies again',
        arguments: [
          ACCOUNT_ARGUMENT,
          { syntax: '<setting>', summary: 'Such as proxy, zone, model_name, pacing.per_day' },
          { syntax: '[value]', summary: 'Such as socks5://user:password@host:1080' },
        ],
        load: async () => (await import('./commands/accounts.ts')).setAccountSettingCommand,
      },
      {
        name: 'use',
        group: 'WhatsApp',
        summary: 'Choose the account that commands without --account are for',
        arguments: [ACCOUNT_ARGUMENT],
        load: async () => (await import('./commands/accounts.ts')).useAccountCommand,
      },
    ],
  },
  {
    name: 'owners',
    group: 'Control and access',
    summary: 'List the people that accounts belong to; add and remove them',
    load: async () => (await import('./commands/owners.ts')).listOwnersCommand,
    subcommands: [
      {
        name: 'list',
        group: 'Control and access',
        summary: 'List owners and operators',
        load: async () => (await import('./commands/owners.ts')).listOwnersCommand,
      },
      {
        name: 'add',
        group: 'Control and access',
        summary: 'Add a person who can sign in; their token is shown once',
        arguments: [{ syntax: '<name>', summary: 'Name of the person' }],
        options: [['--operator', 'Sees states and figures of all accounts, and no messages']],
        load: async () => (await import('./commands/owners.ts')).addOwnerCommand,
      },
      {
        name: 'remove',
        group: 'Control and access',
        summary: 'Remove a person who has no accounts',
        arguments: [{ syntax: '<name>', summary: 'Name of the person' }],
        load: async () => (await import('./commands/owners.ts')).removeOwnerCommand,
      },
    ],
  },
];

// Tokens.

export const TOKEN_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'token',
    group: 'Control and access',
    summary: 'Show your own token, or manage tokens of clients',
    options: [['--rotate', 'Create a new one; the old one stops working immediately']],
    load: async () => (await import('./commands/tokens.ts')).showOwnerTokenCommand,
    subcommands: [
      {
        name: 'create',
        group: 'Control and access',
        summary: 'Create a token for a client; it is shown once',
        options: [
          ['--name <name>', 'Name of the client, such as claude'],
          ['--scopes <scopes>', 'What it may do, such as messages:read,messages:send'],
          ['--contacts <people>', 'Limit it to these people, such as Mom,"+49 170 1234567"'],
          ['--no-confirm', 'Let it send without confirmation'],
          ['--accounts <names>', 'Accounts that it is valid for (default: only the current one)'],
          ['--expires <when>', 'Expiry, such as 90d or 2027-01-31 (default: never)'],
        ],
        helpFooter: SCOPES_EXPLAINED,
        load: async () => (await import('./commands/tokens.ts')).createTokenCommand,
      },
      {
        name: 'list',
        group: 'Control and access',
        summary: 'List tokens with scopes and last use',
        load: async () => (await import('./commands/tokens.ts')).listTokensCommand,
      },
      {
        name: 'rotate',
        group: 'Control and access',
        summary: 'Create a new secret for a token; the old one stops working immediately',
        arguments: [TOKEN_ARGUMENT],
        load: async () => (await import('./commands/tokens.ts')).rotateTokenCommand,
      },
      {
        name: 'resume',
        group: 'Control and access',
        summary: 'Accept a token again that a restore suspended',
        arguments: [TOKEN_ARGUMENT],
        load: async () => (await import('./commands/tokens.ts')).resumeTokenCommand,
      },
      {
        name: 'revoke',
        group: 'Control and access',
        summary: 'Revoke a token; its queued messages are not sent',
        arguments: [TOKEN_ARGUMENT],
        load: async () => (await import('./commands/tokens.ts')).revokeTokenCommand,
      },
    ],
  },
];

// Access from a phone.

/** Kept here and not imported, so that help does not load the command. */
const PROXY_OPTION = [
  '--proxy <name>',
  'Print the configuration of: caddy, tailscale, cloudflare',
] as const;
const PROXY_VALUES = { '--proxy': ['caddy', 'tailscale', 'cloudflare'] } as const;

const REMOTE_HELP = `
Relay listens on 127.0.0.1 only. Your proxy (Tailscale, Caddy or Cloudflare Tunnel) serves it over HTTPS at the address
that you enable. There, only devices that you paired are let in, with their passkeys. See docs/guides/phone.md.`;

export const REMOTE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'remote',
    group: 'Control and access',
    summary: 'Use the console from your phone: show the state and the next step',
    options: [PROXY_OPTION],
    values: PROXY_VALUES,
    helpFooter: REMOTE_HELP,
    load: async () => (await import('./commands/remote.ts')).showRemoteCommand,
    subcommands: [
      {
        name: 'enable',
        group: 'Control and access',
        summary: 'Turn it on at the address that your proxy serves',
        arguments: [{ syntax: '<address>', summary: 'Such as https://relay.example.org' }],
        options: [PROXY_OPTION],
        values: PROXY_VALUES,
        load: async () => (await import('./commands/remote.ts')).enableRemoteCommand,
      },
      {
        name: 'disable',
        group: 'Control and access',
        summary: 'Turn it off and sign out all devices; they stay paired',
        load: async () => (await import('./commands/remote.ts')).disableRemoteCommand,
      },
      {
        name: 'pair',
        group: 'Control and access',
        summary: 'Show a QR code that pairs one device, within 5 minutes',
        load: async () => (await import('./commands/remote.ts')).pairDeviceCommand,
      },
      {
        name: 'devices',
        group: 'Control and access',
        summary: 'List paired devices',
        load: async () => (await import('./commands/remote.ts')).listDevicesCommand,
        subcommands: [
          {
            name: 'list',
            group: 'Control and access',
            summary: 'List paired devices',
            load: async () => (await import('./commands/remote.ts')).listDevicesCommand,
          },
          {
            name: 'remove',
            group: 'Control and access',
            summary: 'Remove a device; it is signed out at once',
            arguments: [{ syntax: '<name>', summary: 'Name or id of the device' }],
            load: async () => (await import('./commands/remote.ts')).removeDeviceCommand,
          },
        ],
      },
    ],
  },
];

// Webhooks.

const WEBHOOK_ARGUMENT = { syntax: '<name>', summary: 'Name or id of the webhook' } as const;
const WEBHOOK_GROUP = 'Control and access' as const;

export const WEBHOOK_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'webhook',
    group: WEBHOOK_GROUP,
    summary: 'Send events to your own programs',
    load: async () => (await import('./commands/webhooks.ts')).listWebhooksCommand,
    subcommands: [
      {
        name: 'add',
        group: WEBHOOK_GROUP,
        summary: 'Add a webhook',
        arguments: [
          { syntax: '<url>', summary: 'Address, such as https://n8n.example.org/webhook/…' },
        ],
        options: [
          ['--events <kinds>', `Comma-separated (default: all): ${WEBHOOK_EVENT_TYPES.join(', ')}`],
          ['--chat <who...>', 'Only these chats: a name, a number or a group'],
          ['--direction <way>', 'Only messages received (in) or sent (out)'],
          ['--states <states>', 'Only these states, comma-separated, such as COMPLETED,failed'],
          ['--include-text', 'Include texts and names (default: ids, kinds and times)'],
          ['--name <name>', 'Name (default: its host)'],
          ['--no-verify', 'Add it even if Relay cannot reach its address yet'],
        ],
        values: { '--events': WEBHOOK_EVENT_TYPES, '--direction': ['in', 'out'] },
        load: async () => (await import('./commands/webhooks.ts')).addWebhookCommand,
      },
      {
        name: 'list',
        group: WEBHOOK_GROUP,
        summary: 'List webhooks and their state',
        load: async () => (await import('./commands/webhooks.ts')).listWebhooksCommand,
      },
      {
        name: 'remove',
        group: WEBHOOK_GROUP,
        summary: 'Remove a webhook and its delivery log',
        arguments: [WEBHOOK_ARGUMENT],
        load: async () => (await import('./commands/webhooks.ts')).removeWebhookCommand,
      },
      {
        name: 'test',
        group: WEBHOOK_GROUP,
        summary: 'Send a test event',
        arguments: [WEBHOOK_ARGUMENT],
        load: async () => (await import('./commands/webhooks.ts')).testWebhookCommand,
      },
      {
        name: 'deliveries',
        group: WEBHOOK_GROUP,
        summary: 'List deliveries, newest first',
        arguments: [WEBHOOK_ARGUMENT],
        options: [
          ['--dead', 'Only failed deliveries'],
          ['-n, --limit <count>', 'How many, up to 200', '50'],
        ],
        load: async () => (await import('./commands/webhooks.ts')).listWebhookDeliveriesCommand,
      },
      {
        name: 'replay',
        group: WEBHOOK_GROUP,
        summary: 'Send deliveries again',
        arguments: [WEBHOOK_ARGUMENT, { syntax: '[id]', summary: 'Delivery id, or its beginning' }],
        options: [['--dead', 'All failed deliveries']],
        load: async () => (await import('./commands/webhooks.ts')).replayWebhookDeliveriesCommand,
      },
      {
        name: 'rotate',
        group: WEBHOOK_GROUP,
        summary: 'Create a new secret; the old one stays valid for one day',
        arguments: [WEBHOOK_ARGUMENT],
        load: async () => (await import('./commands/webhooks.ts')).rotateWebhookSecretCommand,
      },
      {
        name: 'off',
        group: WEBHOOK_GROUP,
        summary: 'Turn a webhook off',
        arguments: [WEBHOOK_ARGUMENT],
        load: async () => (await import('./commands/webhooks.ts')).disableWebhookCommand,
      },
      {
        name: 'on',
        group: WEBHOOK_GROUP,
        summary: 'Turn a webhook on',
        arguments: [WEBHOOK_ARGUMENT],
        load: async () => (await import('./commands/webhooks.ts')).enableWebhookCommand,
      },
    ],
  },
];

// MCP: the server that a client starts, and its entry in the client's settings.

type CommandOption = NonNullable<CommandSpec['options']>[number];

const MCP_TARGET_OPTIONS: readonly CommandOption[] = [
  ['--client <program>', `MCP client: ${MCP_CLIENT_NAMES.join(', ')}`],
  ['--file <file>', 'Settings file (default: the client’s usual one)'],
  ['--name <name>', 'Name of the server in the settings', 'relay'],
];
const MCP_CLIENT_VALUES = { '--client': MCP_CLIENT_NAMES };

export const MCP_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'mcp',
    group: 'Control and access',
    summary: 'Serve MCP to other agents, or set it up in an MCP client',
    options: [['--token-file <file>', 'File with the token (default: RELAY_TOKEN)']],
    load: async () => (await import('./commands/mcp/serve.ts')).serveMcpCommand,
    subcommands: [
      {
        name: 'install',
        group: 'Control and access',
        summary: 'Create a token and add Relay to an MCP client’s settings',
        options: [
          ...MCP_TARGET_OPTIONS,
          ['--scopes <scopes>', 'What it may do (default: all read scopes and messages:send)'],
          ['--contacts <people>', 'Limit it to these people, such as Mom,"+49 170 1234567"'],
          ['--no-confirm', 'Let it send without confirmation'],
          ['--expires <when>', 'Expiry of its token, such as 90d or 2027-01-31 (default: never)'],
          ['--print', 'Show what would be written, and change nothing'],
        ],
        values: MCP_CLIENT_VALUES,
        load: async () => (await import('./commands/mcp/install.ts')).installMcpServerCommand,
      },
      {
        name: 'uninstall',
        group: 'Control and access',
        summary: 'Remove Relay from an MCP client’s settings and revoke its token',
        options: MCP_TARGET_OPTIONS,
        values: MCP_CLIENT_VALUES,
        load: async () => (await import('./commands/mcp/install.ts')).uninstallMcpServerCommand,
      },
    ],
  },
];

// Notifications.

const CHANNEL_ARGUMENT = { syntax: '<channel>', summary: 'ntfy or webhook' } as const;

export const NOTIFICATION_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'notifications',
    group: 'Control and access',
    summary: 'Show where you are notified, or send a test',
    load: async () => (await import('./commands/notifications.ts')).listNotificationsCommand,
    subcommands: [
      {
        name: 'list',
        group: 'Control and access',
        summary: 'Show where you are notified, and the latest deliveries',
        load: async () => (await import('./commands/notifications.ts')).listNotificationsCommand,
      },
      {
        name: 'test',
        group: 'Control and access',
        summary: 'Send a test notification everywhere',
        load: async () => (await import('./commands/notifications.ts')).testNotificationsCommand,
      },
      {
        name: 'set',
        group: 'Control and access',
        summary: 'Notify you through ntfy or a webhook',
        arguments: [
          CHANNEL_ARGUMENT,
          { syntax: '[url]', summary: 'Address, such as https://ntfy.sh/a-long-random-name' },
        ],
        options: [['--token', 'Read its access token from standard input']],
        load: async () =>
          (await import('./commands/notifications.ts')).setNotificationChannelCommand,
      },
      {
        name: 'off',
        group: 'Control and access',
        summary: 'No longer notify you through ntfy or the webhook',
        arguments: [CHANNEL_ARGUMENT],
        load: async () =>
          (await import('./commands/notifications.ts')).disableNotificationChannelCommand,
      },
      {
        name: 'remove',
        group: 'Control and access',
        summary: 'No longer notify a device',
        arguments: [{ syntax: '<device>', summary: 'Name or id of the device' }],
        load: async () =>
          (await import('./commands/notifications.ts')).removeNotificationDeviceCommand,
      },
    ],
  },
];
