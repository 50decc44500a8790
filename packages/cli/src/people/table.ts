// `relay contacts`: one line for each, with what is granted, the last message and the knocks. Pure.
import type { ListedContact } from '@relay/core/api/contacts';
import { clock, oneLine } from '../format.ts';
import type { Terminal } from '../terminal.ts';
import { cut, pad, width } from '../width.ts';
import { addressOf } from './find.ts';

export interface Look {
  /** Null where nobody looks: nothing is cut. */
  readonly columns: number | null;
  readonly colours: Pick<Terminal['colours'], 'bold' | 'dim'>;
  readonly now: Date;
}

const HEAD = ['NAME', 'NUMBER', 'READ', 'REPLY', 'START', 'LAST MESSAGE', 'KNOCKS'] as const;
const GAP = '  ';
const LONGEST_NAME = 28;

export function table(contacts: readonly ListedContact[], look: Look): string[] {
  const rows = contacts.map((contact) => cellsOf(contact, look.now));
  const widths = HEAD.map((name, column) =>
    Math.max(width(name), ...rows.map((cells) => width(cells[column] ?? ''))),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join(GAP)
      .trimEnd();
  const fitted = (text: string) => (look.columns === null ? text : cut(text, look.columns));
  return [look.colours.dim(fitted(line(HEAD))), ...rows.map((cells) => fitted(line(cells)))];
}

function cellsOf(contact: ListedContact, now: Date): string[] {
  const { name, grant, last_message_at: last, knocks } = contact;
  return [
    cut(name === null ? '?' : oneLine(name), LONGEST_NAME),
    addressOf(contact),
    ...(grant === null
      ? ['–', '–', '–']
      : [yes(grant.can_read), replies(contact, grant, now), yes(grant.can_initiate)]),
    last === null ? '' : clock(new Date(last), now),
    knocks === null ? '' : String(knocks.count),
  ];
}

function replies(
  { resting_until: until }: ListedContact,
  { can_reply, reply_mode }: NonNullable<ListedContact['grant']>,
  now: Date,
): string {
  if (until !== null && can_reply) return `rests to ${clock(new Date(until), now)}`;
  return can_reply && reply_mode === 'draft' ? 'draft' : yes(can_reply);
}

const yes = (allowed: boolean): string => (allowed ? 'yes' : 'no');
