// An approval as a question that names the contact. Pure; used wherever an approval is shown.
import type { Approval, SendRisk } from '@relay/contract/api/approvals';
import {
  IconCalendarPlus,
  IconCalendarX,
  IconKey,
  IconMessagePlus,
  IconSend,
  IconTargetArrow,
  type TablerIcon,
} from '@tabler/icons-react';
import { isTextId, t } from '../i18n.ts';
import { formatContact } from './format.ts';
import { reasonSentence } from './sentences.ts';

interface ApprovalCopy {
  readonly question: string;
  readonly icon: TablerIcon;
  /** What approving does. */
  readonly approveLabel: string;
}

export const approvalRecipient = ({ recipient_name, recipient }: Approval): string =>
  recipient_name ??
  (recipient === null ? t('common.approval.unknownRecipient') : formatContact(recipient));

/** Everything that would be sent, in words. */
export const approvalText = ({ text, content }: Pick<Approval, 'text' | 'content'>): string =>
  [content, text].filter(Boolean).join('\n');

/** Why it needs an approval. */
export const approvalReason = ({ reason, reason_code }: Approval): string =>
  reasonSentence(reason_code, reason);

/** In the reader's language if this version knows the risk. */
export function riskText({ code, sentence, values }: SendRisk): string {
  const id = `common.risk.${code}`;
  return isTextId(id) ? t(id, values) : sentence;
}

export function approvalCopy(approval: Approval): ApprovalCopy {
  const name = approvalRecipient(approval);
  switch (approval.kind) {
    case 'send_message':
      return approval.reason_code === 'first_contact'
        ? {
            question: t('common.approval.firstMessage', { name }),
            icon: IconMessagePlus,
            approveLabel: t('common.approval.approve.send'),
          }
        : {
            question: t('common.approval.message', { name }),
            icon: IconSend,
            approveLabel: t('common.approval.approve.send'),
          };
    case 'create_conversation':
      return {
        question: t('common.approval.conversation', { name }),
        icon: IconTargetArrow,
        approveLabel: t('common.approval.approve.start'),
      };
    case 'schedule_message':
      return {
        question: scheduleQuestion(approval, name),
        icon: IconCalendarPlus,
        approveLabel: t('common.approval.approve.schedule'),
      };
    case 'cancel_schedule':
      return {
        question: t('common.approval.cancelSchedule', { name }),
        icon: IconCalendarX,
        approveLabel: t('common.approval.approve.cancelSchedule'),
      };
    case 'manage_grant':
      return {
        question: t('common.approval.grant', { name }),
        icon: IconKey,
        approveLabel: t('common.approval.approve.grant'),
      };
  }
}

/** Without the time zone and the catch-up rule, which are shown beside the text. */
function scheduleQuestion({ when }: Approval, name: string): string {
  const time = when?.split(/[,;]/, 1)[0];
  return time === undefined
    ? t('common.approval.schedule', { name })
    : t('common.approval.scheduleAt', { name, time });
}

const ANSWERS = ['approve', 'reject', 'edit'] as const;

/** The owner's answer, as a ledger row stores it; undefined if this version does not know it. */
export function approvalAnswerText(answer: unknown): string | undefined {
  const known = ANSWERS.find((one) => one === answer);
  return known && t(`common.approval.answer.${known}`);
}
