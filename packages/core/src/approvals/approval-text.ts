// The owner's chat message about a pending approval: recipient, complete text, reason, and how to answer. An approval
// that is too long to show in full cannot be answered in the chat.
import type { Approval } from '@relay/contract/api/approvals';
import { revealHidden } from '../messages/text.ts';
import { SAFER_ALTERNATIVE } from '../policy/risks.ts';

/** The number of characters of an id that are shown and suffice for an answer. */
const SHORT_ID_LENGTH = 8;

export type ApprovalForNotice = Pick<
  Approval,
  | 'id'
  | 'kind'
  | 'recipient'
  | 'recipient_name'
  | 'text'
  | 'content'
  | 'target'
  | 'when'
  | 'reason'
  | 'reason_code'
  | 'spoken'
  | 'risks'
  | 'requested_by_name'
>;

const WANTS: Readonly<Record<ApprovalForNotice['kind'], (to: string) => string>> = {
  send_message: (to) => `a message to ${to}`,
  create_conversation: (to) => `a conversation with ${to}`,
  schedule_message: (to) => `a scheduled message to ${to}`,
  cancel_schedule: (to) => `the cancellation of a scheduled message to ${to}`,
  manage_grant: (to) => `a grant change for ${to}`,
};

const LONGEST = 3_000;

/** What waits, such as `a message to Ana (+49 151 …)`. */
export const approvalHeadline = (waiting: ApprovalForNotice): string =>
  WANTS[waiting.kind](whomOf(waiting));

interface ApprovalNotice {
  readonly text: string;
  /** Whether it contains everything that is asked about. */
  readonly isWhole: boolean;
}

export function approvalNotice(waiting: ApprovalForNotice): ApprovalNotice {
  const { id, reason, spoken, requested_by_name: client } = waiting;
  const by = client === null ? '' : ` Requested by the client “${oneLine(client)}”.`;
  const about = `Relay: ${approvalHeadline(waiting)} needs your approval.${by}`;
  const { when } = waiting;
  const asked = describeOutgoing(waiting);
  const shown = quoted(revealHidden(when === null ? asked : `${asked}\n(${when})`));
  // The owner has to see the transcript of their voice message before they approve.
  const heard = spoken === undefined ? [] : ['Understood:', quoted(revealHidden(spoken))];
  if (shown.length + heard.join('').length > LONGEST) {
    const where = 'Read and answer it in the console, or with `relay approvals`.';
    return { text: `${about} It is too long to show here. ${where}`, isWhole: false };
  }
  const short = id.slice(0, SHORT_ID_LENGTH);
  const answers = `Approve: 👍 or /approve ${short}. Decline: 👎 or /reject ${short}`;
  return {
    text: [about, '', shown, '', reason, ...heard, ...riskLines(waiting), answers].join('\n'),
    isWhole: true,
  };
}

/** What would be sent: the content in words, the message that it is about, and the text. */
export function describeOutgoing({
  text,
  content,
  target,
}: Pick<ApprovalForNotice, 'text' | 'content' | 'target'>): string {
  return [
    ...(content === undefined ? [] : [content]),
    ...(target === undefined ? [] : [`To the message: ${oneLine(target.text)}`]),
    ...(text === '' ? [] : [text]),
  ].join('\n');
}

/** One line for the first risks, which are the worst: a notice has to be short. */
function riskLines({ risks, reason_code }: Pick<Approval, 'risks' | 'reason_code'>): string[] {
  if (risks.length === 0) return [];
  // The reason, right above, has said it.
  const others = risks.filter(({ code }) => code !== reason_code).slice(0, NOTICE_RISKS);
  return [`⚠️ ${[...others.map(({ sentence }) => sentence), SAFER_ALTERNATIVE].join(' ')}`];
}

const NOTICE_RISKS = 2;

/** Says that the approval can no longer be answered. */
export const approvalClosedNotice = (id: string, why: string): string =>
  `Relay: approval ${id.slice(0, SHORT_ID_LENGTH)} can no longer be answered. ${why}`;

export function whomOf({ recipient, recipient_name: name }: ApprovalForNotice): string {
  const address = recipient ?? 'an unknown recipient';
  return name === null ? address : `${oneLine(name)} (${address})`;
}

/** Puts a name on one line: names come from others and must not look like a line of Relay's. */
const oneLine = (name: string): string =>
  revealHidden(name.replace(/\s+/g, ' ').trim()).slice(0, 100);

/** Prefixes each line with a bar, so that quoted text cannot look like a line of Relay's. */
const quoted = (text: string): string =>
  text
    .split(/\r\n|\n/)
    .map((line) => `│ ${line}`)
    .join('\n');

// Whether the owner may edit the text of a pending approval. Grants and cancellations have no text, and a schedule's
// text is changed in the schedule, because the gate sends nothing else for it.

export const isApprovalEditable = ({
  kind,
  requested_by,
}: Pick<Approval, 'kind' | 'requested_by'>): boolean =>
  kind !== 'manage_grant' && kind !== 'cancel_schedule' && requested_by !== 'scheduler';
