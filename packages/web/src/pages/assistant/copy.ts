// Texts of the assistant page, shown and announced to screen readers. Pure.

import type { ListedContact } from '@relay/contract/api/contacts';
import {
  IconCalendarPlus,
  IconCalendarTime,
  IconKey,
  IconListDetails,
  IconMessages,
  IconNotebook,
  IconSearch,
  IconSend,
  IconTool,
  IconWorld,
  type TablerIcon,
} from '@tabler/icons-react';
import { approvalCopy } from '../../parts/approval-copy.ts';
import { formatContact, plural } from '../../parts/format.ts';
import type { AssistantTurn } from './turn.ts';

export const SUGGESTIONS = [
  'What did I miss today?',
  'Who waits for an answer from me?',
  'Remind me tomorrow at 9 to call the plumber.',
];

export function assistantSentence(hasModel: boolean, turn: AssistantTurn | null): string {
  if (!hasModel) return 'Your assistant has no model to think with.';
  if (turn === null || turn.ending !== null) return 'Ask your assistant.';
  return isAsking(turn) ? 'Your assistant waits for your yes.' : 'Your assistant is at it.';
}

/** A call is open and the last part is an approval. */
const isAsking = ({ parts }: AssistantTurn): boolean => parts.at(-1)?.kind === 'approval';

/** For screen readers: each step once and the answer when it is complete, never word by word. */
export function spokenStatus(turn: AssistantTurn, whom: ContactNamer): string {
  const last = turn.parts.at(-1);
  if (turn.ending?.is === 'done') return last?.kind === 'text' ? last.text : 'Done.';
  if (turn.ending !== null) return '';
  switch (last?.kind) {
    case undefined:
      return 'Thinking.';
    case 'approval':
      return `It asks for your yes: ${approvalCopy(last.approval).question}`;
    case 'step':
      return `${describeToolCall(last.name, last.given, whom)}.`;
    case 'text':
      return 'Writing.';
  }
}

// A tool call as text: its subject and its result in one sentence. Pure. Results are complete while a turn runs and
// counts afterwards, so a list and its length must read the same.

interface ToolCopy {
  readonly icon: TablerIcon;
  /** `Read messages`: for the list of what the assistant may do. */
  readonly capability: string;
  /** The subject of this call. */
  describe(given: Fields, whom: ContactNamer): string;
  readonly counts?: readonly [field: string, one: string, many?: string];
  readonly done?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Gives the name for a number or a WhatsApp address. */
export type ContactNamer = (given: unknown) => string;

/** Uses the names that the owner knows; for others, their number. */
export const createContactNamer =
  (known: readonly Pick<ListedContact, 'name' | 'phone_number' | 'jid'>[]): ContactNamer =>
  (given) => {
    if (typeof given !== 'string') return '';
    const number = given.replace(/@s\.whatsapp\.net$/, '').replace(/^\+/, '');
    const one = known.find(({ phone_number, jid }) => phone_number === number || jid === given);
    return one?.name ?? formatContact(number);
  };
const quoted = (given: unknown): string => (typeof given === 'string' ? `“${given}”` : '');

const SEND_COPY: ToolCopy = {
  icon: IconSend,
  capability: 'send a message',
  describe: ({ phone_number, phone }, whom) => `Writes to ${whom(phone_number ?? phone)}`,
  done: 'Sent.',
};

export const TOOL_COPY: Readonly<Record<string, ToolCopy>> = {
  get_chats: {
    icon: IconMessages,
    capability: 'list the chats it may reach',
    describe: () => 'Looks at which chats it may reach',
    counts: ['chats', 'chat'],
  },
  whatsapp_read_messages: {
    icon: IconMessages,
    capability: 'read the messages of those you let be read',
    describe: ({ contact }, whom) =>
      contact ? `Reads the messages of ${whom(contact)}` : 'Reads the newest messages',
    counts: ['messages', 'message'],
  },
  search_messages: {
    icon: IconSearch,
    capability: 'search them',
    describe: ({ query, phone_number }, whom) =>
      `Searches for ${quoted(query)}${phone_number ? ` in the chat with ${whom(phone_number)}` : ''}`,
    counts: ['messages', 'message'],
  },
  summarize_chat: {
    icon: IconNotebook,
    capability: 'sum up a chat',
    describe: ({ phone_number }, whom) => `Sums up the chat with ${whom(phone_number)}`,
    counts: ['messages', 'message'],
  },
  get_digest: {
    icon: IconNotebook,
    capability: 'read the digests of the groups you observe',
    describe: ({ group, day }) =>
      `Reads the digest of ${typeof group === 'string' ? group : 'every group'}${typeof day === 'string' ? `, ${day}` : ''}`,
    counts: ['digests', 'digest'],
  },
  web_search: {
    icon: IconWorld,
    capability: 'search the web',
    describe: ({ query }) => `Searches the web for ${quoted(query)}`,
    counts: ['results', 'result'],
  },
  send_message: SEND_COPY,
  whatsapp_send_message: SEND_COPY,
  schedule_message: {
    icon: IconCalendarPlus,
    capability: 'schedule a message',
    describe: ({ phone_number, time }, whom) =>
      `Schedules a message to ${whom(phone_number)}${typeof time === 'string' ? ` for ${time}` : ''}`,
    done: 'Scheduled.',
  },
  list_scheduled_tasks: {
    icon: IconCalendarTime,
    capability: 'list what is scheduled',
    describe: () => 'Looks at what is scheduled',
    counts: ['tasks', 'message is scheduled', 'messages are scheduled'],
  },
  cancel_scheduled_task: {
    icon: IconCalendarTime,
    capability: 'cancel what is scheduled',
    describe: () => 'Cancels a scheduled message',
    done: 'Cancelled.',
  },
  whatsapp_manage_permission: {
    icon: IconKey,
    capability: 'propose a grant',
    describe: ({ action, displayName, phoneNumber }, whom) =>
      `Wants to ${typeof action === 'string' ? action : 'change'} what is open for ${typeof displayName === 'string' ? displayName : whom(phoneNumber)}`,
    done: 'Changed.',
  },
  whatsapp_list_permissions: {
    icon: IconListDetails,
    capability: 'list the grants',
    describe: () => 'Looks at who may be read and answered',
    counts: ['permissions', 'grant'],
  },
};

type ToolCallOutcome =
  | { readonly is: 'running' }
  | { readonly is: 'done'; readonly sentence: string }
  | { readonly is: 'waits'; readonly sentence: string }
  | { readonly is: 'failed'; readonly sentence: string };

export const toolIcon = (name: string): TablerIcon => TOOL_COPY[name]?.icon ?? IconTool;

export const describeToolCall = (name: string, given: unknown, whom: ContactNamer): string =>
  TOOL_COPY[name]?.describe(fieldsOf(given), whom) ?? `Uses ${name.replaceAll('_', ' ')}`;

/** Reads the result as the model got it: JSON or text. */
export function readToolOutcome(name: string, result: string | null): ToolCallOutcome {
  if (result === null) return { is: 'running' };
  const read = parsed(result);
  if (read === null) {
    return result.startsWith('Error: ')
      ? { is: 'failed', sentence: result.slice('Error: '.length) }
      : { is: 'done', sentence: result === '' ? 'Done.' : result };
  }
  if (read.status === 'waiting_for_approval' || typeof read.approval_id === 'string')
    return { is: 'waits', sentence: 'Not done yet: it waits for your yes.' };
  if (typeof read.error === 'string') return { is: 'failed', sentence: forOwner(read.error) };
  return { is: 'done', sentence: doneSentence(name, read) };
}

/** Rewrites a sentence meant for the model so that it addresses the owner. */
const forOwner = (sentence: string): string =>
  sentence
    .replace(/^Your owner said no/, 'You said no')
    .replace(/(?<=[^.])(?= Do not try it again\.$)/, '.')
    .replace(/ Do not try it again\.$/, '');

function doneSentence(name: string, read: Fields): string {
  const { counts, done } = TOOL_COPY[name] ?? {};
  if (counts === undefined) return done ?? 'Done.';
  const [field, one, many] = counts;
  const value = read[field];
  const n = Array.isArray(value) ? value.length : typeof value === 'number' ? value : 0;
  const note = typeof read.note === 'string' ? ` ${read.note}` : '';
  return `${n === 0 ? `No ${one}` : plural(n, one, many)}.${note}`;
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

function parsed(text: string): Fields | null {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? (read as Fields) : null;
  } catch {
    return null;
  }
}

/** Tools that read text of others. */
const READING_TOOLS = new Set([
  'whatsapp_read_messages',
  'search_messages',
  'summarize_chat',
  'get_digest',
  'web_search',
]);

interface Sourced {
  readonly steps: readonly { readonly name: string }[];
  readonly sources: readonly { readonly chat_id: string }[];
}

/** Whether to show the sources of an answer: sources that it only remembers were shown before. */
export const showsSources = (line: Sourced, before: Sourced | undefined): boolean =>
  line.steps.some(({ name }) => READING_TOOLS.has(name)) ||
  line.sources.some(({ chat_id }) =>
    before?.sources.every((source) => source.chat_id !== chat_id),
  ) ||
  before === undefined;
