// Texts of the approvals page. Pure.
import type { Approval, ApprovalState } from '@relay/contract/api/approvals';
import type { LedgerLine } from '@relay/contract/api/ledger';
import type { DaemonStatus } from '@relay/contract/api/status';
import { describeActor } from '@relay/core/ledger/format';
import { IconCheck, IconClock, IconHourglassOff, IconPencil, IconX } from '@tabler/icons-react';
import { ANSWER_SENTENCES, approvalRecipient } from '../../parts/approval-copy.ts';
import { countInWords } from '../../parts/format.ts';
import type { StateDisplay } from '../../parts/marks.tsx';

/** The page's summary, from the number of listed approvals. */
export function approvalsSentence(state: ApprovalState, listed: number, more: boolean): string {
  const n = more ? `${listed} or more` : null;
  const things = (one: string, many: string) =>
    n === null ? countInWords(listed, one, many) : `${n} ${many}`;
  switch (state) {
    case 'pending':
      return listed === 0
        ? 'Nothing waits for your yes.'
        : `${things('thing waits', 'things wait')} for your yes.`;
    case 'approved':
      return `You said yes to ${midSentence(things('thing', 'things'))}.`;
    case 'rejected':
      return `You said no to ${midSentence(things('thing', 'things'))}.`;
    case 'expired':
      return listed === 0
        ? 'Nothing ran out unanswered.'
        : `${things('thing', 'things')} ran out unanswered.`;
  }
}

/** Lower-cased for the middle of a sentence: `one thing`, `nothing`. */
const midSentence = (words: string): string =>
  words.startsWith('No ') ? 'nothing yet' : words.slice(0, 1).toLowerCase() + words.slice(1);

const capital = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);

/** For the queue: the action and the contact. */
export function approvalTitle(approval: Approval): string {
  const whom = approvalRecipient(approval);
  const [by = ''] = approval.requested_by.split(':');
  switch (approval.kind) {
    case 'send_message':
      if (approval.reason_code === 'first_contact') return `First message to ${whom}`;
      return by === 'auto_reply' ? `Reply to ${whom}` : `Send to ${whom}`;
    case 'create_conversation':
      return `Conversation with ${whom}`;
    case 'schedule_message':
      return `Schedule for ${whom}`;
    case 'cancel_schedule':
      return `Cancel a schedule for ${whom}`;
    case 'manage_grant':
      return `What is open for ${whom}`;
  }
}

/** The requester, for the beginning of a line. */
export function requesterName({ requested_by, requested_by_name }: Approval): string {
  const [kind = ''] = requested_by.split(':');
  if (kind === 'conversation') return 'Conversation';
  if (kind === 'token' && requested_by_name !== null) return requested_by_name;
  return capital(describeActor(requested_by, requested_by_name));
}

const SHORT_REASONS: Readonly<Record<string, string>> = {
  draft: 'drafts only',
  first_contact: 'a new person',
  confirm: 'asks before it sends',
  late: 'came late',
  edited: 'your own words',
  hidden_characters: 'has hidden characters',
  widening: 'opens more',
  start_conversation: 'begins a conversation',
  read_then_send: 'read other chats',
  read_then_grant: 'read other chats',
  read_then_schedule: 'read other chats',
  read_then_cancel: 'read other chats',
  read_then_start: 'read other chats',
  quotes_private: 'quotes what you told it',
};

/** The reason in two or three words; the full sentence is shown with the details. */
export const shortReason = ({ reason_code }: Approval): string =>
  SHORT_REASONS[reason_code] ?? reason_code.replaceAll('_', ' ');

/** The heading above the text. */
export function exactTextHeading({ kind, state }: Pick<Approval, 'kind' | 'state'>): string {
  if (kind === 'create_conversation') return 'What the conversation is for';
  if (state !== 'pending')
    return state === 'approved' ? 'Exactly this you approved' : 'What was asked';
  if (kind === 'cancel_schedule') return 'Exactly this will not be sent';
  return kind === 'manage_grant' ? 'Exactly this will hold' : 'Exactly this will be sent';
}

/** When the action happens after an approval. */
export function whenApprovalTakesEffect(
  { kind }: Pick<Approval, 'kind'>,
  status: Pick<DaemonStatus, 'hold' | 'whatsapp_connected' | 'sending'> | undefined,
): string {
  if (kind === 'manage_grant') return 'Holds from your yes on.';
  if (kind === 'cancel_schedule') return 'Cancelled for good from your yes on.';
  if (kind === 'schedule_message') return 'Leaves when its time has come.';
  if (status?.hold) return 'You hold all sending, so a yes is refused for now.';
  if (kind === 'create_conversation') return 'Its agent begins at once.';
  if (status?.whatsapp_connected === false) return 'Leaves when WhatsApp is connected again.';
  const before = status?.sending.waiting ?? 0;
  return before === 0
    ? 'Leaves at once, after a moment of typing.'
    : `Leaves behind ${before === 1 ? 'one other' : `${before} others`} on the way.`;
}

/** A ledger row of an approval as a step: the request, the answer or the outcome. */
export function approvalStepText({
  action,
  outcome,
  who,
  what,
  detail,
  sentence,
}: LedgerLine): string {
  if (action === 'answer_approval')
    return ANSWER_SENTENCES[String(detail.answer)] ?? 'You answered.';
  if (outcome === 'needs_approval') return `${capital(who)} asked to ${what}.`;
  if (outcome === 'allow') return 'It was let go, exactly as it was shown.';
  return `It was refused. ${sentence}`;
}

/** Beginning and end of a hash in groups of four: enough to compare with another screen. */
export const shortHash = (hash: string): string =>
  `${hash.slice(0, 4)} ${hash.slice(4, 8)} … ${hash.slice(-4)}`;

/** Whose texts were read before, taken from the end of the ledger's sentence. */
export const sourcesReadBefore = (sentence: string): string | null =>
  /Read before: (.+)\.$/.exec(sentence)?.[1] ?? null;

// The states of an approval as badges and filters.

export const APPROVAL_STATE_DISPLAY: Readonly<Record<ApprovalState, StateDisplay>> = {
  pending: { word: 'Waiting', hue: 'you', icon: IconClock },
  approved: { word: 'Approved', hue: 'ok', icon: IconCheck },
  rejected: { word: 'Declined', hue: 'held', icon: IconX },
  expired: { word: 'Ran out', hue: 'parked', icon: IconHourglassOff },
};

/** The owner changed the text, which is not a decline. */
export const APPROVAL_CHANGED: StateDisplay = { word: 'Changed', hue: 'parked', icon: IconPencil };
