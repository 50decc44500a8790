// Texts of the approvals page.
import type { Approval, ApprovalState } from '@relay/contract/api/approvals';
import type { LedgerLine } from '@relay/contract/api/ledger';
import type { DaemonStatus } from '@relay/contract/api/status';
import { IconCheck, IconClock, IconHourglassOff, IconPencil, IconX } from '@tabler/icons-react';
import { type TextId, t } from '../../i18n.ts';
import { approvalAnswerText, approvalRecipient } from '../../parts/approval-copy.ts';
import type { StateDisplay } from '../../parts/marks.tsx';
import { decisionSentence } from '../../parts/sentences.ts';

/** `more`: the count is incomplete. */
export const approvalsSummary = (state: ApprovalState, listed: number, more: boolean): string =>
  t(`approvals.summary.${state}`, { count: listed, more: more ? 'yes' : 'no' });

/** For the queue: the action and the contact. */
export function approvalTitle(approval: Approval): string {
  const name = approvalRecipient(approval);
  const [by = ''] = approval.requested_by.split(':');
  switch (approval.kind) {
    case 'send_message':
      if (approval.reason_code === 'first_contact') return t('approvals.title.first', { name });
      return t(by === 'auto_reply' ? 'approvals.title.reply' : 'approvals.title.send', { name });
    case 'create_conversation':
      return t('approvals.title.conversation', { name });
    case 'schedule_message':
      return t('approvals.title.schedule', { name });
    case 'cancel_schedule':
      return t('approvals.title.cancel', { name });
    case 'manage_grant':
      return t('approvals.title.grant', { name });
  }
}

const ACTOR_LABELS: Readonly<Record<string, TextId>> = {
  owner: 'approvals.actor.owner',
  assistant: 'approvals.actor.assistant',
  auto_reply: 'approvals.actor.auto_reply',
  conversation: 'approvals.actor.conversation',
  observer: 'approvals.actor.observer',
  scheduler: 'approvals.actor.scheduler',
  token: 'approvals.actor.token',
};

/** A client by the name that the owner gave it, everything else by its kind. */
export function requesterName({
  requested_by,
  requested_by_name,
}: Pick<Approval, 'requested_by' | 'requested_by_name'>): string {
  const [kind = ''] = requested_by.split(':');
  if (kind === 'token' && requested_by_name !== null) return requested_by_name;
  const label = ACTOR_LABELS[kind];
  return label === undefined ? kind.replaceAll('_', ' ') : t(label);
}

const SHORT_REASONS: Readonly<Record<string, TextId>> = {
  draft: 'approvals.reason.draft',
  first_contact: 'approvals.reason.firstContact',
  confirm: 'approvals.reason.confirm',
  late: 'approvals.reason.late',
  spoken: 'approvals.reason.spoken',
  edited: 'approvals.reason.edited',
  hidden_characters: 'approvals.reason.hiddenCharacters',
  widening: 'approvals.reason.widening',
  start_conversation: 'approvals.reason.startConversation',
  read_then_send: 'approvals.reason.readOthers',
  read_then_grant: 'approvals.reason.readOthers',
  read_then_schedule: 'approvals.reason.readOthers',
  read_then_cancel: 'approvals.reason.readOthers',
  read_then_start: 'approvals.reason.readOthers',
  quotes_private: 'approvals.reason.quotesPrivate',
};

/** The reason in a few words; the full sentence is shown with the details. */
export function shortReason({ reason_code }: Approval): string {
  const reason = SHORT_REASONS[reason_code];
  return reason === undefined ? reason_code.replaceAll('_', ' ') : t(reason);
}

/** The heading above the text. */
export function exactTextHeading({
  kind,
  state,
  content,
}: Pick<Approval, 'kind' | 'state' | 'content'>): string {
  if (kind === 'create_conversation') return t('approvals.text.objective');
  if (state !== 'pending')
    return t(state === 'approved' ? 'approvals.text.approved' : 'approvals.text.requested');
  if (kind === 'cancel_schedule') return t('approvals.text.cancel');
  if (kind === 'manage_grant') return t('approvals.text.grant');
  return t(content === undefined ? 'approvals.text.send' : 'approvals.text.sendContent');
}

/** When the action happens after an approval. */
export function whenApprovalTakesEffect(
  { kind }: Pick<Approval, 'kind'>,
  status: Pick<DaemonStatus, 'hold' | 'whatsapp_connected' | 'sending'> | undefined,
): string {
  if (kind === 'manage_grant') return t('approvals.effect.grant');
  if (kind === 'cancel_schedule') return t('approvals.effect.cancel');
  if (kind === 'schedule_message') return t('approvals.effect.schedule');
  if (status?.hold) return t('approvals.effect.hold');
  if (kind === 'create_conversation') return t('approvals.effect.conversation');
  if (status?.whatsapp_connected === false) return t('approvals.effect.offline');
  const count = status?.sending.waiting ?? 0;
  return count === 0 ? t('approvals.effect.now') : t('approvals.effect.queue', { count });
}

/** A ledger row of an approval as a step: the request, the answer or the outcome. */
export function approvalStepText(
  row: LedgerLine,
  approval: Pick<Approval, 'requested_by' | 'requested_by_name'>,
): string {
  const { action, actor, outcome, detail } = row;
  if (action === 'answer_approval' && outcome === 'allow')
    return approvalAnswerText(detail.answer) ?? t('approvals.history.answered');
  if (outcome === 'needs_approval') {
    const name = actor === approval.requested_by ? approval.requested_by_name : null;
    const who = requesterName({ requested_by: actor, requested_by_name: name });
    return t('approvals.history.requested', { actor, who });
  }
  if (outcome === 'allow') return t('approvals.history.allowed');
  return t('approvals.history.refused', { reason: decisionSentence(row) });
}

/** Beginning and end of a hash in groups of four: enough to compare with another screen. */
export const shortHash = (hash: string): string =>
  `${hash.slice(0, 4)} ${hash.slice(4, 8)} … ${hash.slice(-4)}`;

// The states of an approval as badges and filters. `changed` is not a state of the API: there an approval whose text
// was changed is rejected and has a replacement.

type ShownState = ApprovalState | 'changed';

export const APPROVAL_STATE_DISPLAY: Readonly<Record<ShownState, StateDisplay>> = {
  pending: { label: 'approvals.state.pending', hue: 'you', icon: IconClock },
  approved: { label: 'approvals.state.approved', hue: 'ok', icon: IconCheck },
  rejected: { label: 'approvals.state.rejected', hue: 'held', icon: IconX },
  expired: { label: 'approvals.state.expired', hue: 'parked', icon: IconHourglassOff },
  changed: { label: 'approvals.state.changed', hue: 'parked', icon: IconPencil },
};

export const shownState = ({
  state,
  replaced_by,
}: Pick<Approval, 'state' | 'replaced_by'>): ShownState =>
  replaced_by === null ? state : 'changed';
