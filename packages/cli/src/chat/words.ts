// What the assistant does, in one line each: the call as it is made, what came of it, and what it asks the
// owner before it sends. Pure.
import type { Approval } from '@relay/core/api/approvals';
import { readHere } from '@relay/core/approvals/read-here';
import { quoted, recipientOf } from '../commands/approvals/list.ts';
import { count, oneLine, printable } from '../format.ts';
import { cut, width } from '../width.ts';

const MOST_ARGUMENTS = 60;
const MOST_OUTCOME = 200;
/** Less of the arguments says nothing. */
const LEAST_ARGUMENTS = 10;

export interface CallMade {
  readonly name: string;
  readonly given: unknown;
}

/** `  · get_chats (limit: 5)`, with as much of the arguments as fits. */
export function callLine({ name, given }: CallMade, columns: number | null, after = ' …'): string {
  const begin = `  · ${oneLine(name)}`;
  const fields = fieldsOf(given).map(([key, value]) => `${key}: ${shown(value)}`);
  const room = (columns ?? Number.POSITIVE_INFINITY) - width(begin) - width(after) - ' ()'.length;
  const words = cut(oneLine(fields.join(', ')), Math.min(MOST_ARGUMENTS, room));
  const fits = words !== '' && (room >= LEAST_ARGUMENTS || !words.endsWith('…'));
  const line = `${begin}${fits ? ` (${words})` : ''}${after}`;
  return columns === null ? line : cut(line, columns);
}

/** `  · get_chats (limit: 5): 12 chats`: what came of it is what is shortened last. */
export const outcomeLine = (call: CallMade, result: string, columns: number | null): string =>
  callLine(call, columns, `: ${cut(outcome(result), MOST_OUTCOME)}`);

function outcome(result: string): string {
  const read = parsed(result);
  if (read === null) return oneLine(result.replace(/^Error: /, 'failed, ')) || 'done';
  const { error } = read;
  if (typeof error === 'string') return `failed, ${oneLine(error)}`;
  const told = fieldsOf(read).map(([key, value]) =>
    Array.isArray(value) ? count(value.length, singular(key), key) : fieldWords(key, value),
  );
  return oneLine(told.join(', ')) || 'done';
}

const fieldWords = (key: string, value: unknown): string => {
  if (key === 'status') return shown(value);
  return key === 'success' && value === true ? 'done' : `${key} ${shown(value)}`;
};

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
  ...(approval.when === null ? [] : [`  When: ${printable(approval.when)}`]),
  `  ${printable(readHere(approval.reason))}`,
];

const WOULD: Readonly<Record<Approval['kind'], string>> = {
  send_message: 'a message',
  create_conversation: 'it would begin',
  schedule_message: 'a message',
  cancel_schedule: 'it would cancel a message',
  manage_grant: 'it would change',
};

export const approvalQuestion = ({ kind }: Approval): string =>
  kind === 'send_message' ? '  Send it? [y/N] ' : '  Allow it? [y/N] ';

export const isYes = (answer: string): boolean => /^\s*y(es)?\s*$/i.test(answer);
