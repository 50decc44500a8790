// What the owner reads in their own chat when something waits for their yes: for whom, the complete text, why, and how
// to answer. What is too long to be read whole there is not answered there.
import type { Approval } from '../api/approvals.ts';
import { visible } from '../messages/visible.ts';
import { readHere } from './read-here.ts';

/** So much of an id is shown, and is enough to answer with. */
export const SHORT_ID = 8;

export type Waiting = Pick<
  Approval,
  'id' | 'kind' | 'recipient' | 'recipient_name' | 'text' | 'when' | 'reason' | 'requested_by_name'
>;

const WANTS: Readonly<Record<Waiting['kind'], (to: string) => string>> = {
  send_message: (to) => `a message to ${to}`,
  create_conversation: (to) => `a conversation with ${to}`,
  schedule_message: (to) => `a scheduled message to ${to}`,
  cancel_schedule: (to) => `cancelling a scheduled message to ${to}`,
  manage_grant: (to) => `what agents may do with ${to}`,
};

const LONGEST = 3_000;

export interface Notice {
  readonly text: string;
  /** All that is asked about is in it. */
  readonly isWhole: boolean;
}

export function approvalNotice(waiting: Waiting): Notice {
  const { id, kind, text, when, reason, requested_by_name: program } = waiting;
  const by = program === null ? '' : `, asked for by the program “${oneLine(program)}”,`;
  const about = `Relay: ${WANTS[kind](whomOf(waiting))}${by} waits for your yes.`;
  const shown = quoted(visible(when === null ? text : `${text}\n(${when})`));
  if (shown.length > LONGEST) {
    const where = 'Read and answer it in the console, or with `relay approvals`.';
    return { text: `${about} It is too long to show here. ${where}`, isWhole: false };
  }
  const short = id.slice(0, SHORT_ID);
  const answers = `Yes: 👍 or /approve ${short}. No: 👎 or /reject ${short}`;
  return { text: `${about}\n\n${shown}\n\n${readHere(reason)}\n${answers}`, isWhole: true };
}

/** It cannot be answered any more. */
export const closedNotice = (id: string, why: string): string =>
  `Relay: ${id.slice(0, SHORT_ID)} no longer waits for your yes. ${why}`;

function whomOf({ recipient, recipient_name: name }: Waiting): string {
  const address = recipient ?? 'nobody that is known any more';
  return name === null ? address : `${oneLine(name)} (${address})`;
}

/** Names come from others: none of them looks like a line of Relay's own. */
const oneLine = (name: string): string => visible(name.replace(/\s+/g, ' ').trim()).slice(0, 100);

/** Each line behind a bar: nothing that somebody wrote looks like a line of Relay's own. */
const quoted = (text: string): string =>
  text
    .split(/\r\n|\n/)
    .map((line) => `│ ${line}`)
    .join('\n');
