// `relay retention`: shows the limits, and the age of what they apply to.

import type {
  ErasedCounts,
  ErasureReceipt,
  ForgetPreview,
  RetentionChat,
  RetentionGroup,
  RetentionRun,
  RetentionStatus,
} from '@relay/contract/api/retention';
import { RelayApiError } from '@relay/contract/client/api-error';
import type { Client } from '@relay/contract/client/client';
import { RelayError } from '@relay/contract/errors';
import { clientOf, longTimeoutClientOf } from '../api.ts';
import type { RunCommand } from '../command.ts';
import { formatClock, formatCount, formatDuration, formatRows, toOneLine } from '../format.ts';
import { askUser, canAsk } from '../prompt.ts';
import type { Terminal } from '../terminal.ts';
import { findKnownContact, formatContactAddress, formatContactLabel } from './contacts.ts';

export const showRetentionCommand: RunCommand = async ({ config, terminal }) => {
  const status = await clientOf(config.home).get('/api/retention');
  if (terminal.json) terminal.writeJson(status);
  else for (const line of formatRetentionStatus(status)) terminal.writeLine(line);
  return 0;
};

// `relay retention run`: applies the limits now, and rewrites the files without the deleted data.

export const runRetentionCommand: RunCommand = async ({ config, terminal }) => {
  terminal.progress('Deleting expired data …');
  const result = await longTimeoutClientOf(config.home).post('/api/retention/run');
  if (terminal.json) terminal.writeJson(result);
  else terminal.writeLine(`Done: ${describeRetentionRun(result)}`);
  return 0;
};

// `relay retention set <who> <days>`: sets how long messages of one chat are kept.

const MOST_DAYS = 36_500;

export const setRetentionCommand: RunCommand = async ({ config, terminal, args }) => {
  const [who, given = ''] = args;
  const days = parseDays(given);
  const client = clientOf(config.home);
  const { id } = await findKnownContact(client, who, 'all');
  const chat = await client.patch('/api/retention/chats', { body: { id, days } });
  if (terminal.json) terminal.writeJson(chat);
  else terminal.writeLine(formatChatLimit(chat));
  return 0;
};

function parseDays(given: string): number | null {
  if (given === 'default') return null;
  if (given === 'keep') return 0;
  const days = Number(given);
  if (/^\d+$/.test(given) && days >= 1 && days <= MOST_DAYS) return days;
  throw new RelayError('usage', {
    what: `"${toOneLine(given)}" is no limit. Give a number of days from 1 to ${MOST_DAYS}, \`keep\` or \`default\`.`,
  });
}

export function formatChatLimit({ chat_id, name, days }: RetentionChat): string {
  const who = toOneLine(name ?? chat_id);
  if (days === null) return `${who}: the general limit applies.`;
  if (days === 0) return `${who}: messages are kept.`;
  return `${who}: messages are kept for ${formatCount(days, 'day')}. The next run deletes older ones; start it with \`relay retention run\`.`;
}

// `relay forget <who>`: erases a contact or a group permanently. It first shows what would be erased and asks for the
// name; scripts pass --yes.

interface ForgetTarget {
  readonly preview: ForgetPreview;
  /** The name in the receipt. */
  readonly who: string;
  /** The text that must be typed. */
  readonly typed: string;
}

export const forgetContactCommand: RunCommand = async ({ config, terminal, args, options }) => {
  const client = clientOf(config.home);
  const kind = options.group === true ? 'group' : 'all';
  const meant = await resolveForgetTarget(client, args[0], kind);
  if (options.yes !== true) {
    if (terminal.json || !canAsk()) {
      throw new RelayError('usage', {
        what: 'Erasing cannot be undone. Add --yes, or run this in a terminal and type the name.',
      });
    }
    if (!(await confirmForget(terminal, meant))) return 1;
  }
  terminal.progress(`Erasing ${meant.who}. This may take a minute …`);
  const receipt = await longTimeoutClientOf(config.home).post('/api/forget', {
    body: { id: meant.preview.id },
  });
  if (terminal.json) terminal.writeJson(receipt);
  else for (const line of formatErasureReceipt(meant.who, receipt)) terminal.writeLine(line);
  return 0;
};

async function resolveForgetTarget(
  client: Client,
  given: string | undefined,
  kind: 'group' | 'all',
): Promise<ForgetTarget> {
  const previewOf = (id: string) => client.get('/api/forget', { query: { id } });
  try {
    const contact = await findKnownContact(client, given, kind);
    const preview = await previewOf(contact.id);
    const who = formatContactLabel(contact);
    return { preview, who, typed: toOneLine(contact.name ?? formatContactAddress(contact)) };
  } catch (error) {
    if (!(error instanceof RelayError) || error.code !== 'contact_unknown') throw error;
    // A person known only from notifications or an imported chat has a name and no address.
    const name = given?.trim() ?? '';
    const preview = await previewOf(`name:${name}`).catch((refused: unknown) => {
      throw refused instanceof RelayApiError && refused.status === 404 ? error : refused;
    });
    return { preview, who: toOneLine(name), typed: toOneLine(name) };
  }
}

async function confirmForget(
  terminal: Terminal,
  { preview, who, typed }: ForgetTarget,
): Promise<boolean> {
  terminal.writeLine(`Erasing ${who} permanently deletes:`);
  for (const line of formatErasedCounts(preview.counts)) terminal.writeLine(line);
  if (preview.open_conversations > 0) {
    terminal.writeLine(`Open conversations that are ended first: ${preview.open_conversations}`);
  }
  const answer = await askUser(`Type ${typed} to confirm: `);
  if (answer === typed) return true;
  terminal.notice('Nothing was erased.');
  return false;
}

// Formats retention and erasure. Pure.

export function formatRetentionStatus(status: RetentionStatus): string[] {
  const now = new Date(status.now);
  const { messages_days, observed_messages_days: messages, digests_days: digests } = status.limits;
  return [
    messages_days === 0
      ? 'Messages are kept until you erase them.'
      : `Messages are kept for ${formatCount(messages_days, 'day')}.`,
    ...chatLines(status.chats, now),
    `Messages of observed groups are kept for ${formatCount(messages, 'day')}, digests for ${formatCount(digests, 'day')}.`,
    ...(status.groups.length === 0
      ? ['No data of observed groups is stored.']
      : status.groups.flatMap((group) => ['', ...groupLines(group, now)])),
    '',
    lastLine(status.runs, now),
    `Next run ${formatClock(new Date(status.next_run_at), now)}. Run it now with \`relay retention run\`.`,
    '',
    'Other limits:',
    ...formatRows(status.others.map(({ what, limit }) => [what, limit])),
  ];
}

function chatLines(chats: readonly RetentionChat[], now: Date): string[] {
  if (chats.length === 0) return [];
  const limits = chats.map(({ chat_id, name, days, oldest_message_at, messages }) => [
    toOneLine(name ?? chat_id),
    days === 0 ? 'kept' : formatCount(days ?? 0, 'day'),
    agedLine(oldest_message_at, messages, 'message', now),
  ]);
  const width = Math.max(...limits.map(([, limit = '']) => limit.length));
  return [
    'Chats with their own limit:',
    ...formatRows(
      limits.map(([name = '', limit = '', oldest = '']) => [
        name,
        `${limit.padEnd(width)}  oldest ${oldest}`,
      ]),
    ),
  ];
}

function groupLines(group: RetentionGroup, now: Date): string[] {
  const name = toOneLine(group.name ?? group.chat_id);
  const state = group.observed ? '' : ', no longer observed';
  return [
    `${name}${state}${group.within_limits ? '' : ': over the limit, deleted at the next run'}`,
    ...formatRows([
      ['Oldest message', agedLine(group.oldest_message_at, group.messages, 'message', now)],
      ['Oldest digest', agedLine(group.oldest_digest_at, group.digests, 'digest', now)],
    ]),
  ];
}

function agedLine(oldest: string | null, many: number, one: string, now: Date): string {
  if (oldest === null) return 'none';
  const age = formatDuration((now.getTime() - new Date(oldest).getTime()) / 1_000);
  return `${age} (${formatCount(many, one)})`;
}

function lastLine([last]: readonly RetentionRun[], now: Date): string {
  if (last === undefined) return 'No run yet.';
  return `Last run ${formatClock(new Date(last.at), now)}: ${describeRetentionRun(last)}`;
}

function describeRetentionRun({ messages, digests, scoured }: RetentionRun): string {
  const what =
    messages + digests === 0
      ? 'nothing to delete'
      : `${formatCount(messages, 'message')} and ${formatCount(digests, 'digest')} deleted`;
  return `${what}${scoured ? ', also from the database files' : ''}.`;
}

const KINDS: Readonly<Record<keyof ErasedCounts, string>> = {
  messages: 'messages, with their search entries',
  sent: 'messages sent or queued by Relay',
  conversations: 'conversations, with their transcripts',
  session_lines: 'lines of auto-reply history',
  schedules: 'scheduled messages',
  approvals: 'approvals',
  grants: 'grants',
  digests: 'digests, with their facts',
  assistant_answers: 'assistant answers based on this data',
  tool_calls: 'tool calls that read this data',
};

/** Only kinds that occur; rows that depend on them are erased too. */
export function formatErasedCounts(counts: ErasedCounts): string[] {
  const some = (Object.keys(KINDS) as (keyof ErasedCounts)[]).filter((kind) => counts[kind] > 0);
  if (some.length === 0) return ['  only the name and the addresses'];
  const width = Math.max(...some.map((kind) => String(counts[kind]).length));
  return some.map((kind) => `  ${String(counts[kind]).padStart(width)}  ${KINDS[kind]}`);
}

export function formatErasureReceipt(who: string, receipt: ErasureReceipt): string[] {
  const bytes = {
    all: ' The database files and log were rewritten without this data.',
    tables: ' The database tables were rewritten without this data.',
    none: '',
  }[receipt.scoured];
  return [
    `Erased: ${who}, in ${formatDuration(receipt.ms / 1_000)}.${bytes}`,
    ...formatErasedCounts(receipt.erased),
    ...(receipt.outside_lines === 0
      ? []
      : [`  ${formatCount(receipt.outside_lines, 'line')} in the files of the digest export`]),
    '',
    'Not erased:',
    ...receipt.stays.map((sentence) => `  ${sentence}`),
  ];
}
