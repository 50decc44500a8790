// Texts of the assistant page, shown and announced to screen readers. Pure.

import type { ApprovalState } from '@relay/contract/api/approvals';
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
import { type TextId, t } from '../../i18n.ts';
import { approvalCopy } from '../../parts/approval-copy.ts';
import { formatContact } from '../../parts/format.ts';
import { type AssistantTurn, isOwnerAsked } from './turn.ts';

export const SUGGESTIONS = [
  'assistant.suggestion.missed',
  'assistant.suggestion.unanswered',
  'assistant.suggestion.reminder',
] as const satisfies readonly TextId[];

/** For screen readers: each step once and the answer when it is complete, never word by word. */
export function spokenStatus(turn: AssistantTurn, whom: ContactNamer): string {
  const last = turn.parts.at(-1);
  if (turn.ending?.is === 'done')
    return last?.kind === 'text' ? last.text : t('assistant.progress.done');
  if (turn.ending !== null) return '';
  switch (last?.kind) {
    case undefined:
      return t('assistant.progress.thinking');
    case 'approval':
      return isOwnerAsked(turn.parts)
        ? t('assistant.progress.approval', { question: approvalCopy(last.approval).question })
        : t('assistant.progress.thinking');
    case 'step':
      return describeToolCall(last.name, last.given, whom);
    case 'text':
      return t('assistant.progress.writing');
  }
}

// A tool call as text: what it does and its result. Pure. Results are complete while a turn runs and counts afterwards,
// so a list and its length must read the same.

interface ToolCopy {
  readonly icon: TablerIcon;
  /** For the list of what the assistant can do. */
  readonly label: TextId;
  describe(given: Fields, whom: ContactNamer): string;
  /** The field of the result to count. */
  readonly counts?: 'chats' | 'messages' | 'digests' | 'results' | 'tasks' | 'permissions';
  /** The result of a tool that counts nothing. */
  readonly done?: TextId;
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

const textOf = (given: unknown): string => (typeof given === 'string' ? given : '');

const SEND_COPY: ToolCopy = {
  icon: IconSend,
  label: 'assistant.tool.send_message',
  describe: ({ phone_number, phone }, whom) =>
    t('assistant.step.send', { name: whom(phone_number ?? phone) }),
  done: 'assistant.outcome.sent',
};

export const TOOL_COPY: Readonly<Record<string, ToolCopy>> = {
  get_chats: {
    icon: IconMessages,
    label: 'assistant.tool.get_chats',
    describe: () => t('assistant.step.chats'),
    counts: 'chats',
  },
  whatsapp_read_messages: {
    icon: IconMessages,
    label: 'assistant.tool.whatsapp_read_messages',
    describe: ({ contact }, whom) =>
      contact
        ? t('assistant.step.read.chat', { name: whom(contact) })
        : t('assistant.step.read.newest'),
    counts: 'messages',
  },
  search_messages: {
    icon: IconSearch,
    label: 'assistant.tool.search_messages',
    describe: ({ query, phone_number }, whom) =>
      phone_number
        ? t('assistant.step.search.chat', { query: textOf(query), name: whom(phone_number) })
        : t('assistant.step.search', { query: textOf(query) }),
    counts: 'messages',
  },
  summarize_chat: {
    icon: IconNotebook,
    label: 'assistant.tool.summarize_chat',
    describe: ({ phone_number }, whom) =>
      t('assistant.step.summarize', { name: whom(phone_number) }),
    counts: 'messages',
  },
  get_digest: {
    icon: IconNotebook,
    label: 'assistant.tool.get_digest',
    describe: ({ group, day }) => describeDigest(textOf(group), textOf(day)),
    counts: 'digests',
  },
  get_results: {
    icon: IconMessages,
    label: 'assistant.tool.get_results',
    describe: ({ phone_number }, whom) =>
      phone_number
        ? t('assistant.step.results.chat', { name: whom(phone_number) })
        : t('assistant.step.results'),
    counts: 'results',
  },
  web_search: {
    icon: IconWorld,
    label: 'assistant.tool.web_search',
    describe: ({ query }) => t('assistant.step.web', { query: textOf(query) }),
    counts: 'results',
  },
  send_message: SEND_COPY,
  whatsapp_send_message: SEND_COPY,
  schedule_message: {
    icon: IconCalendarPlus,
    label: 'assistant.tool.schedule_message',
    describe: ({ phone_number, time }, whom) => {
      const name = whom(phone_number);
      return typeof time === 'string'
        ? t('assistant.step.schedule.time', { name, time })
        : t('assistant.step.schedule', { name });
    },
    done: 'assistant.outcome.scheduled',
  },
  list_scheduled_tasks: {
    icon: IconCalendarTime,
    label: 'assistant.tool.list_scheduled_tasks',
    describe: () => t('assistant.step.schedules'),
    counts: 'tasks',
  },
  cancel_scheduled_task: {
    icon: IconCalendarTime,
    label: 'assistant.tool.cancel_scheduled_task',
    describe: () => t('assistant.step.cancel'),
    done: 'assistant.outcome.cancelled',
  },
  whatsapp_manage_permission: {
    icon: IconKey,
    label: 'assistant.tool.whatsapp_manage_permission',
    describe: ({ action, displayName, phoneNumber }, whom) =>
      t('assistant.step.grant', {
        action: textOf(action),
        name: textOf(displayName) || whom(phoneNumber),
      }),
    done: 'assistant.outcome.changed',
  },
  whatsapp_list_permissions: {
    icon: IconListDetails,
    label: 'assistant.tool.whatsapp_list_permissions',
    describe: () => t('assistant.step.grants'),
    counts: 'permissions',
  },
};

function describeDigest(group: string, day: string): string {
  if (group === '')
    return day === ''
      ? t('assistant.step.digest.all')
      : t('assistant.step.digest.allOnDay', { day });
  return day === ''
    ? t('assistant.step.digest.group', { group })
    : t('assistant.step.digest.groupOnDay', { group, day });
}

type ToolCallOutcome =
  | { readonly is: 'running' }
  | { readonly is: 'done'; readonly sentence: string }
  | { readonly is: 'waits'; readonly sentence: string }
  | { readonly is: 'failed'; readonly sentence: string };

export const toolIcon = (name: string): TablerIcon => TOOL_COPY[name]?.icon ?? IconTool;

export const describeToolCall = (name: string, given: unknown, whom: ContactNamer): string =>
  TOOL_COPY[name]?.describe(fieldsOf(given), whom) ??
  t('assistant.step.unknown', { tool: name.replaceAll('_', ' ') });

/** Reads the result as the model got it: JSON or text. */
export function readToolOutcome(
  name: string,
  result: string | null,
  approval: ApprovalState | null = null,
): ToolCallOutcome {
  if (result === null) return approval === null ? { is: 'running' } : decidedOutcome(approval);
  const read = parsed(result);
  if (read === null) {
    return result.startsWith('Error: ')
      ? { is: 'failed', sentence: result.slice('Error: '.length) }
      : { is: 'done', sentence: result === '' ? t('assistant.outcome.done') : result };
  }
  if (read.status === 'waiting_for_approval' || typeof read.approval_id === 'string')
    return decidedOutcome(approval);
  if (typeof read.error === 'string') return { is: 'failed', sentence: forOwner(read.error) };
  return { is: 'done', sentence: doneSentence(name, read) };
}

/** A call that asked the owner: it waits until they have decided. */
function decidedOutcome(approval: ApprovalState | null): ToolCallOutcome {
  switch (approval) {
    case 'approved':
      return { is: 'done', sentence: t('assistant.outcome.approved') };
    case 'rejected':
      return { is: 'failed', sentence: t('assistant.outcome.declined') };
    case 'expired':
      return { is: 'failed', sentence: t('assistant.outcome.expired') };
    case 'pending':
    case null:
      return { is: 'waits', sentence: t('assistant.outcome.waiting') };
  }
}

const DECLINED = /^Your owner said no(?:: (.*)|\.) Do not try it again\.$/s;

/** Rewrites a sentence meant for the model so that it addresses the owner. */
function forOwner(sentence: string): string {
  const declined = DECLINED.exec(sentence);
  if (declined === null) return inConsole(sentence.replace(/ Do not try it again\.$/, ''));
  const [, reason] = declined;
  return reason === undefined
    ? t('assistant.outcome.declined')
    : t('assistant.outcome.declinedBecause', { reason });
}

/** The model gets the advice as a command; the owner does it on a page. */
function inConsole(sentence: string): string {
  const said = sentence.replace(/ [^.]*`relay [^`]*`\.$/, '');
  const isGrant = said !== sentence && sentence.includes('`relay grant');
  return isGrant ? `${said} ${t('assistant.outcome.changeGrant')}` : said;
}

function doneSentence(name: string, read: Fields): string {
  const { counts, done } = TOOL_COPY[name] ?? {};
  if (counts === undefined) return t(done ?? 'assistant.outcome.done');
  const value = read[counts];
  const count = Array.isArray(value) ? value.length : typeof value === 'number' ? value : 0;
  const result = t(`assistant.outcome.${counts}`, { count });
  return typeof read.note === 'string' ? `${result} ${read.note}` : result;
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
  'get_results',
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
