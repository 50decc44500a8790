// `relay retention`: shows the age of stored data from observed groups against its limits.

import type {
  ErasedCounts,
  ErasureReceipt,
  ForgetPreview,
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

// `relay retention run`: enforces the limits now, and rewrites the files without the deleted data.

export const runRetentionCommand: RunCommand = async ({ config, terminal }) => {
  terminal.progress('Deleting what is too old …');
  const result = await longTimeoutClientOf(config.home).post('/api/retention/run');
  if (terminal.json) terminal.writeJson(result);
  else terminal.writeLine(`Enforced: ${describeRetentionRun(result)}`);
  return 0;
};

// `relay forget <who>`: erases a contact or a group for good. It first shows what would be erased and wants the name
// typed; programs pass --yes.

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
        what: 'Erasing cannot be undone: say --yes, or run it in a terminal and type the name.',
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
    // Somebody known only from notifications or an imported chat has a name and no address.
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
  terminal.writeLine(`Forgetting ${who} erases for good:`);
  for (const line of formatErasedCounts(preview.counts)) terminal.writeLine(line);
  if (preview.open_conversations > 0) {
    terminal.writeLine(
      `${formatCount(preview.open_conversations, 'conversation')} in progress would be ended first.`,
    );
  }
  const answer = await askUser(`Type ${typed} to erase all of it: `);
  if (answer === typed) return true;
  terminal.progress('Nothing was erased.');
  return false;
}

// Formats retention and erasure. Pure.

export function formatRetentionStatus(status: RetentionStatus): string[] {
  const now = new Date(status.now);
  const { observed_messages_days: messages, digests_days: digests } = status.limits;
  return [
    `Messages of observed groups are kept ${formatCount(messages, 'day')}, digests ${formatCount(digests, 'day')}.`,
    ...(status.groups.length === 0
      ? ['No group is observed, and nothing is left of one.']
      : status.groups.flatMap((group) => ['', ...groupLines(group, now)])),
    '',
    lastLine(status.runs, now),
    `Next at ${formatClock(new Date(status.next_run_at), now)}; \`relay retention run\` enforces now.`,
    '',
    'Also limited:',
    ...formatRows(status.others.map(({ what, limit }) => [what, limit])),
  ];
}

function groupLines(group: RetentionGroup, now: Date): string[] {
  const name = toOneLine(group.name ?? group.chat_id);
  const state = group.observed ? '' : ', no longer observed';
  return [
    `${name}${state}${group.within_limits ? '' : ': older than allowed, and due to go'}`,
    ...formatRows([
      ['oldest raw row:', agedLine(group.oldest_message_at, group.messages, 'message', now)],
      ['oldest digest:', agedLine(group.oldest_digest_at, group.digests, 'digest', now)],
    ]),
  ];
}

function agedLine(oldest: string | null, many: number, one: string, now: Date): string {
  if (oldest === null) return 'none';
  const age = formatDuration((now.getTime() - new Date(oldest).getTime()) / 1_000);
  return `${age} (${formatCount(many, one)})`;
}

function lastLine([last]: readonly RetentionRun[], now: Date): string {
  if (last === undefined) return 'Not enforced yet.';
  return `Last enforced ${formatClock(new Date(last.at), now)}: ${describeRetentionRun(last)}`;
}

function describeRetentionRun({ messages, digests, scoured }: RetentionRun): string {
  const what =
    messages + digests === 0
      ? 'nothing was too old'
      : `${formatCount(messages, 'message')} and ${formatCount(digests, 'digest')} deleted`;
  return `${what}${scoured ? ', and the files written anew without them' : ''}.`;
}

const KINDS: Readonly<Record<keyof ErasedCounts, string>> = {
  messages: 'messages, with all that finds them',
  sent: 'messages that Relay sent or was to send',
  conversations: 'conversations, with their transcripts',
  session_lines: 'lines of automatic replies',
  schedules: 'scheduled messages',
  approvals: 'questions to you',
  grants: 'grants',
  digests: 'digests, with their facts',
  assistant_answers: 'answers your assistant gave from it',
  tool_calls: 'calls of tools that read it',
};

/** Only kinds that occur; rows that depend on them are erased too. */
export function formatErasedCounts(counts: ErasedCounts): string[] {
  const some = (Object.keys(KINDS) as (keyof ErasedCounts)[]).filter((kind) => counts[kind] > 0);
  if (some.length === 0) return ['  nothing but the name and the addresses'];
  const width = Math.max(...some.map((kind) => String(counts[kind]).length));
  return some.map((kind) => `  ${String(counts[kind]).padStart(width)}  ${KINDS[kind]}`);
}

export function formatErasureReceipt(who: string, receipt: ErasureReceipt): string[] {
  const bytes = {
    all: ' No byte of it is left in the database, its log included.',
    tables: ' The tables were written anew without it.',
    none: '',
  }[receipt.scoured];
  return [
    `Erased: ${who}, in ${formatDuration(receipt.ms / 1_000)}.${bytes}`,
    ...formatErasedCounts(receipt.erased),
    ...(receipt.outside_lines === 0
      ? []
      : [`  ${formatCount(receipt.outside_lines, 'line')} of the files for your other memory`]),
    '',
    'What stays:',
    ...receipt.stays.map((sentence) => `  ${sentence}`),
  ];
}
