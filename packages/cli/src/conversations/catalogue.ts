// The commands of delegated conversations, for the catalogue.
import { INSTANCE_STATES } from '@relay/core/conversation/states';
import type { ArgumentSpec, CommandSpec } from '../command.ts';

const group = 'Conversations';
const ID: ArgumentSpec = { syntax: '<id>', summary: 'its id, or the first 4 characters or more' };
const IDS: ArgumentSpec = { ...ID, syntax: '<id...>', summary: 'their ids, or how these begin' };

export const CONVERSATION_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'create',
    group,
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
    load: () => import('../commands/create.ts'),
  },
  {
    name: 'list',
    group,
    summary: 'show the conversations and how they stand',
    options: [
      ['--state <state>', 'only those in this state'],
      ['--all', 'on a terminal, all that have ended too'],
      ['--watch', 'go on and show what changes'],
    ],
    values: { '--state': INSTANCE_STATES },
    load: () => import('../commands/list.ts'),
  },
  {
    name: 'get',
    group,
    summary: 'show everything about a conversation',
    arguments: [ID],
    options: [['--all', 'all steps it took, not only the last ten']],
    load: () => import('../commands/get.ts'),
  },
  {
    name: 'transcript',
    group,
    summary: 'show what was said',
    arguments: [ID],
    options: [['-f, --follow', 'go on until the conversation ends']],
    load: () => import('../commands/transcript.ts'),
  },
  {
    name: 'send',
    group,
    summary: 'write to the contact yourself',
    arguments: [ID, { syntax: '<message...>', summary: 'what to say' }],
    load: () => import('../commands/send.ts'),
  },
  {
    name: 'pause',
    group,
    summary: 'send nothing until it is resumed',
    arguments: [IDS],
    load: () => import('../commands/pause.ts'),
  },
  {
    name: 'resume',
    group,
    summary: 'go on, after a pause or when it waits for you',
    arguments: [IDS],
    load: () => import('../commands/resume.ts'),
  },
  {
    name: 'cancel',
    group,
    summary: 'end it without a farewell',
    arguments: [IDS],
    load: () => import('../commands/cancel.ts'),
  },
];
