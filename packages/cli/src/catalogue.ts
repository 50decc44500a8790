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
import { DAEMON_COMMANDS } from './catalogue-daemon.ts';
import { DATA_COMMANDS, MEMORY_COMMANDS } from './catalogue-data.ts';
import {
  CONVERSATION_COMMANDS,
  OBSERVE_COMMANDS,
  PEOPLE_COMMANDS,
  SCHEDULE_COMMANDS,
} from './catalogue-people.ts';
import type { CommandSpec } from './command.ts';

const PHONE_OPTION: readonly [string, string] = [
  '--phone <number>',
  'Link with a code that you type on this phone, instead of a QR code',
];

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
    arguments: [{ syntax: '[who]', summary: 'Name, or digits of a phone number (default: all)' }],
    options: [['-n, --limit <count>', 'How many, up to 100', '50']],
    load: async () => (await import('./commands/messages.ts')).listMessagesCommand,
    subcommands: [
      {
        name: 'send',
        group: 'WhatsApp',
        summary: 'Send a message as yourself',
        arguments: [
          { syntax: '<who>', summary: 'Name, phone number or group' },
          { syntax: '[text]', summary: 'The text, the caption, the emoji, or the poll’s question' },
        ],
        options: [
          ['--file <path>', 'Send this file'],
          ['--voice <path>', 'Send this recording (Ogg with Opus) as a voice message'],
          [
            '--react <id>',
            'React to this message with the emoji; without one, remove the reaction',
          ],
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
    group: 'Control and access',
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
    group: 'Control and access',
    summary: 'Show pending approvals, and approve or decline them',
    options: [['--state <state>', 'pending, approved, declined or expired', 'pending']],
    load: async () => (await import('./commands/approvals.ts')).listApprovalsCommand,
    subcommands: [
      {
        name: 'list',
        group: 'Control and access',
        summary: 'List approvals with recipient and text',
        options: [['--state <state>', 'pending, approved, declined or expired', 'pending']],
        load: async () => (await import('./commands/approvals.ts')).listApprovalsCommand,
      },
      {
        name: 'approve',
        group: 'Control and access',
        summary: 'Approve: send exactly the text shown',
        arguments: [{ syntax: '[id]', summary: 'Approval id; optional if only one is pending' }],
        load: async () => (await import('./commands/approvals.ts')).approveApprovalCommand,
      },
      {
        name: 'edit',
        group: 'Control and access',
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
        group: 'Control and access',
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
    group: 'Control and access',
    summary: 'Explain why a message was sent, answered or refused',
    arguments: [
      { syntax: '<message-id>', summary: 'Message id from `relay messages`, or its beginning' },
    ],
    options: [['--chat <id>', 'The chat, if several have a message with this id']],
    load: async () => (await import('./commands/messages.ts')).explainMessageCommand,
  },
  {
    name: 'ledger',
    group: 'Control and access',
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
    group: 'Control and access',
    summary: 'Stop all sending now',
    arguments: [{ syntax: '[reason...]', summary: 'Reason, for your own record' }],
    load: async () => (await import('./commands/hold.ts')).holdSendingCommand,
  },
  {
    name: 'release',
    group: 'Control and access',
    summary: 'End the hold and continue sending',
    load: async () => (await import('./commands/hold.ts')).releaseSendingCommand,
  },
  ...DAEMON_COMMANDS,
  {
    name: 'open',
    group: 'Control and access',
    summary: 'Open the console in your browser',
    options: [['--print', 'Print the address instead']],
    load: async () => (await import('./commands/open.ts')).openConsoleCommand,
  },
  ...REMOTE_COMMANDS,
  ...ACCOUNT_COMMANDS,
  ...TOKEN_COMMANDS,
  ...MCP_COMMANDS,
  ...DATA_COMMANDS,
  {
    name: 'demo',
    group: 'Control and access',
    summary: 'Try Relay without a phone or a model key',
    options: [
      ['--no-open', 'Print the addresses instead of opening a browser'],
      ['--headless', 'For scripts: start without people or a phone page; ends with standard input'],
      ['--port <port>', 'Port of its API (default: a free one)'],
      ['--home <folder>', 'Folder of a headless demo (default: temporary, deleted at the end)'],
      ['--workers <n>', 'Number of workers beside the API; only with --headless'],
      ['--accounts <n>', 'Number of linked accounts; only with --workers'],
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
