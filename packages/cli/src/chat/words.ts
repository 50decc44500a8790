// What the assistant does, in one line each: the call as it is made, what came of it, and what it asks the
// owner before it sends. Pure.
import type { Approval } from '@relay/core/api/approvals';
import { quoted, recipientOf } from '../commands/approvals/list.ts';
import { count, oneLine, printable } from '../format.ts';
import { cut } from '../width.ts';

const MOST_ARGUMENTS = 60;
const LEAST_ROOM = 20;

/** `get_chats (limit: 5)` */
export function callWords(name: string, given: unknown): string {
  const fields = fieldsOf(given).map(([key, value]) => `${key}: ${shown(value)}`);
  const all = cut(oneLine(fields.join(', ')), MOST_ARGUMENTS);
  return all === '' ? oneLine(name) : `${oneLine(name)} (${all})`;
}

/** One line that fits: `  · get_chats (limit: 5): 12 chats`. */
export function outcomeLine(call: string, result: string, columns: number | null): string {
  const line = `  · ${call}: ${outcome(result)}`;
  return columns === null ? line : cut(line, Math.max(LEAST_ROOM, columns));
}

function outcome(result: string): string {
  const read = parsed(result);
  if (read === null) return oneLine(result.replace(/^Error: /, 'failed, ')) || 'done';
  const { error } = read;
  if (typeof error === 'string') return `failed, ${oneLine(error)}`;
  const told = fieldsOf(read).map(([key, value]) =>
    Array.isArray(value) ? count(value.length, singular(key), key) : `${key} ${shown(value)}`,
  );
  return oneLine(told.join(', ')) || 'done';
}

const singular = (noun: string): string => noun.replace(/s$/, '');

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

const fieldsOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).filter(([, field]) => field !== null)
    : [];

function parsed(text: string): Record<string, unknown> | null {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Exactly what would be sent and to whom, and why it waits. */
export const approvalLines = (approval: Approval): string[] => [
  `  It asks you first: ${WOULD[approval.kind]} ${recipientOf(approval)}`,
  ...quoted(approval.text),
  `  ${printable(approval.reason)}`,
];

const WOULD: Readonly<Record<Approval['kind'], string>> = {
  send_message: 'a message',
  create_conversation: 'it would begin',
  schedule_message: 'a message',
  manage_grant: 'it would change',
};

export const approvalQuestion = ({ kind }: Approval): string =>
  kind === 'send_message' ? '  Send it? [y/N] ' : '  Allow it? [y/N] ';

export const isYes = (answer: string): boolean => /^\s*y(es)?\s*$/i.test(answer);
