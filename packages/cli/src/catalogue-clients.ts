// Catalogue entries for the commands about tokens, webhooks and MCP.

import { CLIENT_SCOPES, SCOPE_DESCRIPTIONS } from '@relay/contract/policy/scopes';
import { WEBHOOK_EVENT_TYPES } from '@relay/contract/webhooks/event-types';
import type { CommandSpec } from './command.ts';
import { MCP_CLIENT_NAMES } from './commands/mcp/clients.ts';
import { formatRows } from './format.ts';

const TOKEN_ARGUMENT = { syntax: '<name>', summary: 'what you called it' } as const;

const SCOPES_EXPLAINED = `
Scopes, each for its own tools and nothing else:
${formatRows(CLIENT_SCOPES.map((scope) => [scope, SCOPE_DESCRIPTIONS[scope]])).join('\n')}

What a program has read of one chat makes whatever it sends elsewhere wait for your yes.`;

export const TOKEN_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'token',
    group: 'You',
    summary: 'print your own token, or make one for a program',
    options: [['--rotate', 'make a new one for yourself; the old one stops working at once']],
    load: async () => (await import('./commands/tokens.ts')).showOwnerTokenCommand,
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
        helpFooter: SCOPES_EXPLAINED,
        load: async () => (await import('./commands/tokens.ts')).createTokenCommand,
      },
      {
        name: 'list',
        group: 'You',
        summary: 'show the tokens there are: what each may do, and when it was last used',
        load: async () => (await import('./commands/tokens.ts')).listTokensCommand,
      },
      {
        name: 'rotate',
        group: 'You',
        summary: 'give a token a new secret; the one before stops working at once',
        arguments: [TOKEN_ARGUMENT],
        load: async () => (await import('./commands/tokens.ts')).rotateTokenCommand,
      },
      {
        name: 'revoke',
        group: 'You',
        summary: 'end a token: what comes with it is refused, what it has waiting is not sent',
        arguments: [TOKEN_ARGUMENT],
        load: async () => (await import('./commands/tokens.ts')).revokeTokenCommand,
      },
    ],
  },
];

// Webhooks.

const WEBHOOK_ARGUMENT = { syntax: '<name>', summary: 'its name or id' } as const;
const WEBHOOK_GROUP = 'You' as const;

export const WEBHOOK_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'webhook',
    group: WEBHOOK_GROUP,
    summary: 'tell a program of yours what happens, wherever it is',
    load: async () => (await import('./commands/webhooks.ts')).listWebhooksCommand,
    subcommands: [
      {
        name: 'add',
        group: WEBHOOK_GROUP,
        summary: 'tell an address what happens from now on',
        arguments: [{ syntax: '<url>', summary: 'where to, as https://n8n.example.org/webhook/…' }],
        options: [
          [
            '--events <kinds>',
            `with commas between; all without: ${WEBHOOK_EVENT_TYPES.join(', ')}`,
          ],
          ['--chat <who...>', 'only of these chats: a name, a number or a group'],
          ['--direction <way>', 'only messages that come in, or go out: in or out'],
          ['--states <states>', 'only these, with commas between, as in COMPLETED,failed'],
          ['--include-text', 'words and names too; without it ids, kinds and times'],
          ['--name <name>', 'what to call it (default: its host)'],
        ],
        values: { '--events': WEBHOOK_EVENT_TYPES, '--direction': ['in', 'out'] },
        load: async () => (await import('./commands/webhooks.ts')).addWebhookCommand,
      },
      {
        name: 'list',
        group: WEBHOOK_GROUP,
        summary: 'show them, and how each goes',
        load: async () => (await import('./commands/webhooks.ts')).listWebhooksCommand,
      },
      {
        name: 'remove',
        group: WEBHOOK_GROUP,
        summary: 'end one, and the record of what it was told',
        arguments: [WEBHOOK_ARGUMENT],
        load: async () => (await import('./commands/webhooks.ts')).removeWebhookCommand,
      },
      {
        name: 'test',
        group: WEBHOOK_GROUP,
        summary: 'send it a ping now',
        arguments: [WEBHOOK_ARGUMENT],
        load: async () => (await import('./commands/webhooks.ts')).testWebhookCommand,
      },
      {
        name: 'deliveries',
        group: WEBHOOK_GROUP,
        summary: 'show what it was told, the newest first',
        arguments: [WEBHOOK_ARGUMENT],
        options: [
          ['--dead', 'only what was given up on'],
          ['-n, --limit <count>', 'how many, 200 at most', '50'],
        ],
        load: async () => (await import('./commands/webhooks.ts')).listWebhookDeliveriesCommand,
      },
      {
        name: 'replay',
        group: WEBHOOK_GROUP,
        summary: 'tell it something again',
        arguments: [
          WEBHOOK_ARGUMENT,
          { syntax: '[id]', summary: 'which delivery, or the beginning of its id' },
        ],
        options: [['--dead', 'all that was given up on']],
        load: async () => (await import('./commands/webhooks.ts')).replayWebhookDeliveriesCommand,
      },
      {
        name: 'rotate',
        group: WEBHOOK_GROUP,
        summary: 'make a new secret; for a day the one before signs too',
        arguments: [WEBHOOK_ARGUMENT],
        load: async () => (await import('./commands/webhooks.ts')).rotateWebhookSecretCommand,
      },
      {
        name: 'off',
        group: WEBHOOK_GROUP,
        summary: 'tell it nothing until it is on again',
        arguments: [WEBHOOK_ARGUMENT],
        load: async () => (await import('./commands/webhooks.ts')).disableWebhookCommand,
      },
      {
        name: 'on',
        group: WEBHOOK_GROUP,
        summary: 'tell it what happens from now on',
        arguments: [WEBHOOK_ARGUMENT],
        load: async () => (await import('./commands/webhooks.ts')).enableWebhookCommand,
      },
    ],
  },
];

// MCP: the server that a client starts, and its entry in the client's settings.

type CommandOption = NonNullable<CommandSpec['options']>[number];

const MCP_TARGET_OPTIONS: readonly CommandOption[] = [
  ['--client <program>', `whose settings: ${MCP_CLIENT_NAMES.join(', ')}`],
  ['--file <file>', 'another settings file than the usual one'],
  ['--name <name>', 'what the server is called there', 'relay'],
];
const MCP_CLIENT_VALUES = { '--client': MCP_CLIENT_NAMES };

export const MCP_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'mcp',
    group: 'You',
    summary: 'let other agents in: serve MCP, or write it into a program’s settings',
    options: [['--token-file <file>', 'where the token is, if not in RELAY_TOKEN']],
    load: async () => (await import('./commands/mcp/serve.ts')).serveMcpCommand,
    subcommands: [
      {
        name: 'install',
        group: 'You',
        summary: 'make a token for a program and write both into its settings',
        options: [
          ...MCP_TARGET_OPTIONS,
          ['--scopes <scopes>', 'what it may do (default: all that looks, and messages:send)'],
          ['--contacts <people>', 'the only people it may deal with, as in Mom,"+49 170 1234567"'],
          ['--no-confirm', 'do not ask anybody before it sends'],
          ['--expires <when>', 'when its token ends, as in 90d or 2027-01-31 (default: never)'],
          ['--print', 'change nothing; show what would be written'],
        ],
        values: MCP_CLIENT_VALUES,
        load: async () => (await import('./commands/mcp/install.ts')).installMcpServerCommand,
      },
      {
        name: 'uninstall',
        group: 'You',
        summary: 'take it out of a program’s settings, and end its token',
        options: MCP_TARGET_OPTIONS,
        values: MCP_CLIENT_VALUES,
        load: async () => (await import('./commands/mcp/install.ts')).uninstallMcpServerCommand,
      },
    ],
  },
];
