// Catalogue entries for the commands about conversations, contacts, observed groups and schedules.
import { INSTANCE_STATES } from '@relay/contract/conversation/states';
import type { ArgumentSpec, CommandSpec } from './command.ts';

const CONVERSATION_GROUP = 'Conversations';
const CONVERSATION_ID: ArgumentSpec = {
  syntax: '<id>',
  summary: 'Conversation id, or its first 4 characters or more',
};
const CONVERSATION_IDS: ArgumentSpec = {
  ...CONVERSATION_ID,
  syntax: '<id...>',
  summary: 'Conversation ids, or their first characters',
};

export const CONVERSATION_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'create',
    group: CONVERSATION_GROUP,
    summary: 'Start a conversation with a goal, held by an agent',
    options: [
      ['--objective <text>', 'The goal'],
      ['--contact <who>', 'The contact: a phone number in international form, or a name'],
      ['--todos <text...>', 'A step to complete; repeatable, or @file with one per line'],
      ['--todos-file <file>', 'Read steps from a file, one per line'],
      ['--fact <text...>', 'A fact the agent may share; repeatable'],
      ['--heartbeat <time>', 'Follow up after this time without a reply: 90s, 30m, 2h, 1d'],
      ['--max-followups <count>', 'Stop after this many follow-ups'],
      [
        '--template <file>',
        'Read these options from a YAML file; options given here take precedence',
      ],
      ['--set <name=value...>', 'Value for {{name}} in the template; repeatable'],
      ['--key <key>', 'Idempotency key: the same key never creates a second one'],
      ['--result <file>', 'JSON Schema of a result that the agent fills at the end'],
      ['--wait', 'Wait until it ends or needs you; with --result, print the result'],
      ['--timeout <time>', 'Wait at most this long: 90s, 30m, 2h, 1d'],
    ],
    load: async () =>
      (await import('./commands/conversations/create.ts')).createConversationCommand,
  },
  {
    name: 'list',
    group: CONVERSATION_GROUP,
    summary: 'List conversations and their states',
    options: [
      ['--state <state>', 'Only this state, such as WAITING_FOR_REPLY'],
      ['--all', 'Include ended conversations'],
      ['--watch', 'Keep running and show changes'],
    ],
    values: { '--state': INSTANCE_STATES },
    load: async () =>
      (await import('./commands/conversations/conversations.ts')).listConversationsCommand,
  },
  {
    name: 'get',
    group: CONVERSATION_GROUP,
    summary: 'Show one conversation in detail',
    arguments: [CONVERSATION_ID],
    options: [['--all', 'All steps, not only the last 10']],
    load: async () =>
      (await import('./commands/conversations/conversations.ts')).showConversationCommand,
  },
  {
    name: 'transcript',
    group: CONVERSATION_GROUP,
    summary: 'Show the messages of a conversation',
    arguments: [CONVERSATION_ID],
    options: [['-f, --follow', 'Keep showing new messages until it ends']],
    load: async () =>
      (await import('./commands/conversations/transcript.ts')).showTranscriptCommand,
  },
  {
    name: 'send',
    group: CONVERSATION_GROUP,
    summary: 'Send a message to the contact yourself',
    arguments: [CONVERSATION_ID, { syntax: '<message...>', summary: 'The text' }],
    options: [
      ['--reply-to <id>', 'Quote this message; `relay messages` shows the ids'],
      ['--at <time>', 'Send later, such as "tomorrow 9:00"; it is not part of the transcript'],
    ],
    load: async () =>
      (await import('./commands/conversations/conversations.ts')).sendToConversationCommand,
  },
  {
    name: 'pause',
    group: CONVERSATION_GROUP,
    summary: 'Pause conversations; nothing is sent until resumed',
    arguments: [CONVERSATION_IDS],
    load: async () =>
      (await import('./commands/conversations/conversations.ts')).pauseConversationsCommand,
  },
  {
    name: 'resume',
    group: CONVERSATION_GROUP,
    summary: 'Resume conversations that are paused or waiting for you',
    arguments: [CONVERSATION_IDS],
    load: async () =>
      (await import('./commands/conversations/conversations.ts')).resumeConversationsCommand,
  },
  {
    name: 'cancel',
    group: CONVERSATION_GROUP,
    summary: 'Cancel conversations; no goodbye message is sent',
    arguments: [CONVERSATION_IDS],
    load: async () =>
      (await import('./commands/conversations/conversations.ts')).cancelConversationsCommand,
  },
];

// Contacts and their grants.

const CONTACT_ARGUMENT = { syntax: '<who>', summary: 'Name, phone number or group' } as const;
const GROUP_OPTION: readonly [string, string] = ['--group', 'This is a group, not a person'];

export const PEOPLE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'contacts',
    group: 'People',
    summary: 'Show contacts, their grants and message requests',
    arguments: [{ syntax: '[query]', summary: 'Name, part of a name, or phone number' }],
    options: [
      ['--requests', 'Only message requests'],
      ['-n, --limit <count>', 'How many at most', '100'],
    ],
    load: async () => (await import('./commands/contacts.ts')).listContactsCommand,
    subcommands: [
      {
        name: 'dismiss',
        group: 'People',
        summary: 'Dismiss a message request; the next message creates a new one',
        arguments: [CONTACT_ARGUMENT],
        load: async () => (await import('./commands/contacts.ts')).dismissMessageRequestCommand,
      },
    ],
  },
  {
    name: 'suggest',
    group: 'People',
    summary: 'Ask the model for a reply to somebody; sends nothing',
    arguments: [CONTACT_ARGUMENT, { syntax: '[hint...]', summary: 'What you want to say' }],
    load: async () => (await import('./commands/messages.ts')).suggestReplyCommand,
  },
  {
    name: 'grant',
    group: 'People',
    summary: 'Let agents read and answer someone',
    arguments: [CONTACT_ARGUMENT],
    options: [
      ['--read', 'Agents may read messages (default for a new contact)'],
      ['--reply', 'Agents may reply'],
      ['--draft', 'Agents may draft replies that you approve; can be combined with --reply'],
      ['--initiate', 'Agents may start conversations'],
      ['--name <name>', 'Name of the contact'],
      ['--persona <text>', 'Persona for replies; an empty value removes it'],
      ['--model <name>', 'Model for replies; an empty value removes it'],
      [
        '--quiet <from-to>',
        'Quiet hours without replies, such as 22:00-07:00; an empty value removes them',
      ],
      [
        '--suggest',
        'Suggest replies in the chat that only you can send; for --read without --reply',
      ],
      ['--no-suggest', 'Suggest no replies'],
      [
        '--photos <show|hide>',
        'Whether photos may go to the model’s provider; an empty value: only where an agent replies',
      ],
      GROUP_OPTION,
    ],
    load: async () => (await import('./commands/grants.ts')).grantPermissionsCommand,
  },
  {
    name: 'revoke',
    group: 'People',
    summary: 'Revoke grants; queued messages are stopped too',
    arguments: [CONTACT_ARGUMENT],
    options: [
      ['--read', 'Only reading'],
      ['--reply', 'Only replying'],
      ['--initiate', 'Only starting conversations'],
      ['--remove', 'Also delete the record: name, persona and settings'],
      GROUP_OPTION,
    ],
    load: async () => (await import('./commands/grants.ts')).revokePermissionsCommand,
  },
];

// `relay observe token`.

const OBSERVE_TOKEN_COMMAND: CommandSpec = {
  name: 'token',
  group: 'People',
  summary: 'Create the token for a phone that forwards notifications',
  options: [
    ['--rotate', 'Create a new token; the old one stops working immediately'],
    ['--revoke', 'Revoke the token; notifications are refused from now on'],
  ],
  load: async () => (await import('./commands/observe.ts')).manageForwarderTokenCommand,
};

// Observed groups.

const GROUP_ARGUMENT = {
  syntax: '<group>',
  summary: 'Group name, part of it, or chat address',
} as const;

export const OBSERVE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'observe',
    group: 'People',
    summary: 'Observe groups silently, for digests and your questions',
    load: async () => (await import('./commands/observe.ts')).listObservedGroupsCommand,
    subcommands: [
      {
        name: 'add',
        group: 'People',
        summary: 'Start observing a group; tell its members first',
        arguments: [GROUP_ARGUMENT],
        options: [
          ['--announced', 'Confirm that you told the group'],
          ['--answer', 'Let your assistant answer you there when you mention it'],
          ['--name <name>', 'Name of your assistant there'],
          ['--answers <count>', 'Answers per day at most'],
          [
            '--zone <zone>',
            'Time zone of its daily digests, such as Europe/Berlin (default: yours)',
          ],
        ],
        load: async () => (await import('./commands/observe.ts')).observeGroupCommand,
      },
      {
        name: 'list',
        group: 'People',
        summary: 'List observed groups with cost and savings',
        load: async () => (await import('./commands/observe.ts')).listObservedGroupsCommand,
      },
      {
        name: 'remove',
        group: 'People',
        summary: 'Stop observing a group',
        arguments: [GROUP_ARGUMENT],
        options: [['--erase', 'Also erase its stored messages and digests']],
        load: async () => (await import('./commands/observe.ts')).stopObservingGroupCommand,
      },
      OBSERVE_TOKEN_COMMAND,
    ],
  },
];

// Schedules.

const SCHEDULE_STATE_OPTION = [
  '--state <state>',
  'active, done, cancelled or all',
  'active',
] as const;

export const SCHEDULE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'schedule',
    group: 'Control and access',
    summary: 'Schedule a message, once or repeated',
    arguments: [
      { syntax: '[when]', summary: 'Such as "every weekday 9am", "tomorrow 14:30", "in 2 hours"' },
      { syntax: '[text]', summary: 'The text, the caption, or the poll’s question' },
    ],
    options: [
      ['--to <who>', 'A name, a number, or me'],
      ['--file <path>', 'Send this file'],
      ['--voice <path>', 'Send this recording (Ogg with Opus) as a voice message'],
      ['--poll <options>', 'Ask which of these options, separated by |'],
      ['--location <place>', 'Send this place: latitude,longitude'],
      ['--once <time>', 'Once, such as "2026-12-24 18:00"'],
      ['--daily <time>', 'Every day at this time, such as 09:00'],
      ['--weekly <days@time>', 'On these days, such as mon,fri@18:00'],
      ['--cron <expression>', 'Cron expression with five fields, such as "0 9 * * mon-fri"'],
      ['--zone <zone>', 'Time zone, such as Europe/Berlin (default: yours)'],
      [
        '--catch-up <rule>',
        'Runs missed while Relay was offline: skip them, send once, or send all',
      ],
      ['-y, --yes', 'Do not ask for confirmation'],
    ],
    values: { '--catch-up': ['skip', 'once', 'all'] },
    load: async () => (await import('./commands/schedule-create.ts')).createScheduleCommand,
    subcommands: [
      {
        name: 'list',
        group: 'Control and access',
        summary: 'List schedules and their next runs',
        options: [SCHEDULE_STATE_OPTION],
        values: { '--state': ['active', 'done', 'cancelled', 'all'] },
        load: async () => (await import('./commands/schedules.ts')).listSchedulesCommand,
      },
      {
        name: 'cancel',
        group: 'Control and access',
        summary: 'Cancel a schedule',
        arguments: [{ syntax: '<id>', summary: 'Schedule id, or its beginning' }],
        load: async () => (await import('./commands/schedules.ts')).cancelScheduleCommand,
      },
    ],
  },
];
