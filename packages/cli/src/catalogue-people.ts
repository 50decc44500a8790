// Catalogue entries for the commands about conversations, contacts, observed groups and schedules.
import { INSTANCE_STATES } from '@relay/contract/conversation/states';
import type { ArgumentSpec, CommandSpec } from './command.ts';

const CONVERSATION_GROUP = 'Conversations';
const CONVERSATION_ID: ArgumentSpec = {
  syntax: '<id>',
  summary: 'its id, or the first 4 characters or more',
};
const CONVERSATION_IDS: ArgumentSpec = {
  ...CONVERSATION_ID,
  syntax: '<id...>',
  summary: 'their ids, or how these begin',
};

export const CONVERSATION_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'create',
    group: CONVERSATION_GROUP,
    summary: 'delegate a conversation: what to achieve, and with whom',
    options: [
      ['--objective <text>', 'what is to be achieved'],
      ['--contact <number>', 'with whom: a phone number in international form'],
      ['--todos <text...>', 'a step to get done; repeat it, or @file with one a line'],
      ['--todos-file <file>', 'steps from a file, one a line'],
      ['--fact <text...>', 'what may be told to the contact as it stands; repeat it'],
      ['--heartbeat <time>', 'follow up after this time without an answer: 90s, 30m, 2h, 1d'],
      ['--max-followups <count>', 'give up after so many follow-ups'],
      ['--template <file>', 'take all of this from a YAML file; options win over it'],
      ['--set <name=value...>', 'a value for {{name}} in the template; repeat it'],
      ['--key <key>', 'the same key never makes a second one'],
      ['--wait', 'follow it until it ends or needs you'],
    ],
    load: async () =>
      (await import('./commands/conversations/create.ts')).createConversationCommand,
  },
  {
    name: 'list',
    group: CONVERSATION_GROUP,
    summary: 'show the conversations and how they stand',
    options: [
      ['--state <state>', 'only those in this state'],
      ['--all', 'on a terminal, all that have ended too'],
      ['--watch', 'go on and show what changes'],
    ],
    values: { '--state': INSTANCE_STATES },
    load: async () =>
      (await import('./commands/conversations/conversations.ts')).listConversationsCommand,
  },
  {
    name: 'get',
    group: CONVERSATION_GROUP,
    summary: 'show everything about a conversation',
    arguments: [CONVERSATION_ID],
    options: [['--all', 'all steps it took, not only the last ten']],
    load: async () =>
      (await import('./commands/conversations/conversations.ts')).showConversationCommand,
  },
  {
    name: 'transcript',
    group: CONVERSATION_GROUP,
    summary: 'show what was said',
    arguments: [CONVERSATION_ID],
    options: [['-f, --follow', 'go on until the conversation ends']],
    load: async () =>
      (await import('./commands/conversations/transcript.ts')).showTranscriptCommand,
  },
  {
    name: 'send',
    group: CONVERSATION_GROUP,
    summary: 'write to the contact yourself',
    arguments: [CONVERSATION_ID, { syntax: '<message...>', summary: 'what to say' }],
    load: async () =>
      (await import('./commands/conversations/conversations.ts')).sendToConversationCommand,
  },
  {
    name: 'pause',
    group: CONVERSATION_GROUP,
    summary: 'send nothing until it is resumed',
    arguments: [CONVERSATION_IDS],
    load: async () =>
      (await import('./commands/conversations/conversations.ts')).pauseConversationsCommand,
  },
  {
    name: 'resume',
    group: CONVERSATION_GROUP,
    summary: 'go on, after a pause or when it waits for you',
    arguments: [CONVERSATION_IDS],
    load: async () =>
      (await import('./commands/conversations/conversations.ts')).resumeConversationsCommand,
  },
  {
    name: 'cancel',
    group: CONVERSATION_GROUP,
    summary: 'end it without a farewell',
    arguments: [CONVERSATION_IDS],
    load: async () =>
      (await import('./commands/conversations/conversations.ts')).cancelConversationsCommand,
  },
];

// Contacts and their grants.

const CONTACT_ARGUMENT = { syntax: '<who>', summary: 'a name, a phone number or a group' } as const;
const GROUP_OPTION: readonly [string, string] = ['--group', 'a group is meant, not a person'];

export const PEOPLE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'contacts',
    group: 'People',
    summary: 'see whom Relay knows, their grants, and who knocks',
    arguments: [{ syntax: '[query]', summary: 'a name or a part of it, or a phone number' }],
    options: [
      ['--knocks', 'only those who wrote without a grant'],
      ['-n, --limit <count>', 'how many at most', '100'],
    ],
    load: async () => (await import('./commands/contacts.ts')).listContactsCommand,
    subcommands: [
      {
        name: 'dismiss',
        group: 'People',
        summary: 'dismiss a message request; the next message creates a new one',
        arguments: [CONTACT_ARGUMENT],
        load: async () => (await import('./commands/contacts.ts')).dismissMessageRequestCommand,
      },
    ],
  },
  {
    name: 'grant',
    group: 'People',
    summary: 'allow agents to read and answer somebody',
    arguments: [CONTACT_ARGUMENT],
    options: [
      ['--read', 'they may be read; the default for somebody new'],
      ['--reply', 'they may be answered'],
      ['--draft', 'they may be answered, with your yes to each reply; may stand beside --reply'],
      ['--initiate', 'agents may begin conversations with them'],
      ['--name <name>', 'what you call them'],
      ['--persona <text>', 'how replies to them sound; an empty one takes it back'],
      ['--model <name>', 'which model answers them; an empty one takes it back'],
      ['--quiet <from-to>', 'no replies then, as in 22:00-07:00; an empty one ends it'],
      GROUP_OPTION,
    ],
    load: async () => (await import('./commands/grants.ts')).grantPermissionsCommand,
  },
  {
    name: 'revoke',
    group: 'People',
    summary: 'take permissions back, also from what is queued',
    arguments: [CONTACT_ARGUMENT],
    options: [
      ['--read', 'only reading'],
      ['--reply', 'only answering'],
      ['--initiate', 'only beginning conversations'],
      ['--remove', 'forget the record as well: name, persona and all'],
      GROUP_OPTION,
    ],
    load: async () => (await import('./commands/grants.ts')).revokePermissionsCommand,
  },
];

// `relay observe token`.

const OBSERVE_TOKEN_COMMAND: CommandSpec = {
  name: 'token',
  group: 'People',
  summary: 'make the token with which a phone forwards notifications of observed groups',
  options: [
    ['--rotate', 'make a new one; the one before stops working at once'],
    ['--revoke', 'end it: notifications are no longer taken'],
  ],
  load: async () => (await import('./commands/observe.ts')).manageForwarderTokenCommand,
};

// Observed groups.

const GROUP_ARGUMENT = {
  syntax: '<group>',
  summary: 'its name or a part of it, or its address',
} as const;

export const OBSERVE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'observe',
    group: 'People',
    summary: 'have a group read in silence, for digests and answers to you',
    load: async () => (await import('./commands/observe.ts')).listObservedGroupsCommand,
    subcommands: [
      {
        name: 'add',
        group: 'People',
        summary: 'read a group from now on; tell it first',
        arguments: [GROUP_ARGUMENT],
        options: [
          ['--announced', 'you have told the group; asked otherwise'],
          ['--answer', 'your assistant may answer you there when you ask it by name'],
          ['--name <name>', 'what you call your assistant there'],
          ['--answers <count>', 'how often a day it may answer there'],
          ['--zone <zone>', 'the time zone of its days, as in Europe/Berlin (default: yours)'],
        ],
        load: async () => (await import('./commands/observe.ts')).observeGroupCommand,
      },
      {
        name: 'list',
        group: 'People',
        summary: 'show what is read, and what that costs and spares',
        load: async () => (await import('./commands/observe.ts')).listObservedGroupsCommand,
      },
      {
        name: 'remove',
        group: 'People',
        summary: 'read a group no longer',
        arguments: [GROUP_ARGUMENT],
        options: [['--erase', 'erase what was kept of it too: messages, digests, all']],
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
    group: 'You',
    summary: 'send a message later, once or again and again',
    arguments: [
      { syntax: '[when]', summary: 'as in "every weekday 9am", "tomorrow 14:30", "in 2 hours"' },
      { syntax: '[text]', summary: 'what to say' },
    ],
    options: [
      ['--to <who>', 'a name, a number, or me'],
      ['--once <time>', 'instead of words: once, as in "2026-12-24 18:00"'],
      ['--daily <time>', 'every day, as in 09:00'],
      ['--weekly <days@time>', 'as in mon,fri@18:00'],
      ['--cron <expression>', 'five fields, as in "0 9 * * mon-fri"'],
      ['--zone <zone>', 'the time zone, as in Europe/Berlin (default: yours)'],
      [
        '--catch-up <rule>',
        'what becomes of those that Relay was not there for: skip, once or all',
      ],
      ['-y, --yes', 'save it without being asked'],
    ],
    values: { '--catch-up': ['skip', 'once', 'all'] },
    load: async () => (await import('./commands/schedule-create.ts')).createScheduleCommand,
    subcommands: [
      {
        name: 'list',
        group: 'You',
        summary: 'show what is scheduled, and when it comes next',
        options: [SCHEDULE_STATE_OPTION],
        values: { '--state': ['active', 'done', 'cancelled', 'all'] },
        load: async () => (await import('./commands/schedules.ts')).listSchedulesCommand,
      },
      {
        name: 'cancel',
        group: 'You',
        summary: 'cancel one: nothing more comes of it',
        arguments: [{ syntax: '<id>', summary: 'which, or the beginning of its id' }],
        load: async () => (await import('./commands/schedules.ts')).cancelScheduleCommand,
      },
    ],
  },
];
