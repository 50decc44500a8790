// Retention and erasure as a person reads them. Pure.
import type {
  ErasedCounts,
  Receipt,
  RetentionGroup,
  RetentionRun,
  RetentionStatus,
} from '@relay/core/api/retention';
import { clock, count, duration, oneLine, rows } from '../format.ts';

export function retentionLines(status: RetentionStatus): string[] {
  const now = new Date(status.now);
  const { observed_messages_days: messages, digests_days: digests } = status.limits;
  return [
    `Messages of observed groups are kept ${count(messages, 'day')}, digests ${count(digests, 'day')}.`,
    ...(status.groups.length === 0
      ? ['No group is observed, and nothing is left of one.']
      : status.groups.flatMap((group) => ['', ...groupLines(group, now)])),
    '',
    lastLine(status.runs, now),
    `Next at ${clock(new Date(status.next_run_at), now)}; \`relay retention run\` enforces now.`,
    '',
    'Also limited:',
    ...rows(status.others.map(({ what, limit }) => [what, limit])),
  ];
}

function groupLines(group: RetentionGroup, now: Date): string[] {
  const name = oneLine(group.name ?? group.chat_id);
  const state = group.observed ? '' : ', no longer observed';
  return [
    `${name}${state}${group.within_limits ? '' : ': older than allowed, and due to go'}`,
    ...rows([
      ['oldest raw row:', agedLine(group.oldest_message_at, group.messages, 'message', now)],
      ['oldest digest:', agedLine(group.oldest_digest_at, group.digests, 'digest', now)],
    ]),
  ];
}

function agedLine(oldest: string | null, many: number, one: string, now: Date): string {
  if (oldest === null) return 'none';
  const age = duration((now.getTime() - new Date(oldest).getTime()) / 1_000);
  return `${age} (${count(many, one)})`;
}

function lastLine([last]: readonly RetentionRun[], now: Date): string {
  if (last === undefined) return 'Not enforced yet.';
  return `Last enforced ${clock(new Date(last.at), now)}: ${runWords(last)}`;
}

export function runWords({ messages, digests, scoured }: RetentionRun): string {
  const what =
    messages + digests === 0
      ? 'nothing was too old'
      : `${count(messages, 'message')} and ${count(digests, 'digest')} deleted`;
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

/** Those of which there are any; what hangs on them goes along. */
export function countLines(counts: ErasedCounts): string[] {
  const some = (Object.keys(KINDS) as (keyof ErasedCounts)[]).filter((kind) => counts[kind] > 0);
  if (some.length === 0) return ['  nothing but the name and the addresses'];
  const width = Math.max(...some.map((kind) => String(counts[kind]).length));
  return some.map((kind) => `  ${String(counts[kind]).padStart(width)}  ${KINDS[kind]}`);
}

export function receiptLines(who: string, receipt: Receipt): string[] {
  const bytes = {
    all: ' No byte of it is left in the database, its log included.',
    tables: ' The tables were written anew without it.',
    none: '',
  }[receipt.scoured];
  return [
    `Erased: ${who}, in ${duration(receipt.ms / 1_000)}.${bytes}`,
    ...countLines(receipt.erased),
    ...(receipt.outside_lines === 0
      ? []
      : [`  ${count(receipt.outside_lines, 'line')} of the files for your other memory`]),
    '',
    'What stays:',
    ...receipt.stays.map((sentence) => `  ${sentence}`),
  ];
}
