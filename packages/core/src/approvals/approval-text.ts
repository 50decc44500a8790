// What the owner reads in their own chat when something waits for their yes: for whom, the complete text, why, and how
// to answer. What is too long to be read whole there is not answered there.
import type { Approval } from '@relay/contract/api/approvals';
import { revealHidden } from '../messages/text.ts';

/** So much of an id is shown, and is enough to answer with. */
const SHORT_ID_LENGTH = 8;

export type ApprovalForNotice = Pick<
  Approval,
  'id' | 'kind' | 'recipient' | 'recipient_name' | 'text' | 'when' | 'reason' | 'requested_by_name'
>;

const WANTS: Readonly<Record<ApprovalForNotice['kind'], (to: string) => string>> = {
  send_message: (to) => `a message to ${to}`,
  create_conversation: (to) => `a conversation with ${to}`,
  schedule_message: (to) => `a scheduled message to ${to}`,
  cancel_schedule: (to) => `cancelling a scheduled message to ${to}`,
  manage_grant: (to) => `what agents may do with ${to}`,
};

const LONGEST = 3_000;

interface ApprovalNotice {
  readonly text: string;
  /** All that is asked about is in it. */
  readonly isWhole: boolean;
}

export function approvalNotice(waiting: ApprovalForNotice): ApprovalNotice {
  const { id, kind, text, when, reason, requested_by_name: program } = waiting;
  const by = program === null ? '' : `, asked for by the program “${oneLine(program)}”,`;
  const about = `Relay: ${WANTS[kind](whomOf(waiting))}${by} waits for your yes.`;
  const shown = quoted(revealHidden(when === null ? text : `${text}\n(${when})`));
  if (shown.length > LONGEST) {
    const where = 'Read and answer it in the console, or with `relay approvals`.';
    return { text: `${about} It is too long to show here. ${where}`, isWhole: false };
  }
  const short = id.slice(0, SHORT_ID_LENGTH);
  const answers = `Yes: 👍 or /approve ${short}. No: 👎 or /reject ${short}`;
  return {
    text: `${about}\n\n${shown}\n\n${withoutApprovalsHint(reason)}\n${answers}`,
    isWhole: true,
  };
}

/** It cannot be answered any more. */
export const approvalClosedNotice = (id: string, why: string): string =>
  `Relay: ${id.slice(0, SHORT_ID_LENGTH)} no longer waits for your yes. ${why}`;

function whomOf({ recipient, recipient_name: name }: ApprovalForNotice): string {
  const address = recipient ?? 'nobody that is known any more';
  return name === null ? address : `${oneLine(name)} (${address})`;
}

/** Names come from others: none of them looks like a line of Relay's own. */
const oneLine = (name: string): string =>
  revealHidden(name.replace(/\s+/g, ' ').trim()).slice(0, 100);

/** Each line behind a bar: nothing that somebody wrote looks like a line of Relay's own. */
const quoted = (text: string): string =>
  text
    .split(/\r\n|\n/)
    .map((line) => `│ ${line}`)
    .join('\n');

// Whether the owner may put other words in the place of what waits. A grant has no words of its own, nor
// has a cancellation, and what a schedule says is changed at the schedule: the gate lets nothing else leave for it.

export const isApprovalEditable = ({
  kind,
  requested_by,
}: Pick<Approval, 'kind' | 'requested_by'>): boolean =>
  kind !== 'manage_grant' && kind !== 'cancel_schedule' && requested_by !== 'scheduler';

// Relay's sentences lead to the approvals; whoever reads one there already is not led anywhere.
export const withoutApprovalsHint = (text: string): string =>
  text
    .replace(': `relay approvals`', '')
    .split(/(?<=\.) /)
    .filter((sentence) => !sentence.includes('`relay approvals`'))
    .join(' ');
