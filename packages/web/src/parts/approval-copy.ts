// An approval as a question that names the contact. Pure; used wherever an approval is shown.
import type { Approval } from '@relay/contract/api/approvals';
import { withoutApprovalsHint } from '@relay/core/approvals/approval-text';
import {
  IconCalendarPlus,
  IconCalendarX,
  IconKey,
  IconMessagePlus,
  IconSend,
  IconTargetArrow,
  type TablerIcon,
} from '@tabler/icons-react';
import { formatContact } from './format.ts';

interface ApprovalCopy {
  readonly question: string;
  readonly icon: TablerIcon;
  /** What approving does. */
  readonly approveLabel: string;
}

export const approvalRecipient = ({ recipient_name, recipient }: Approval): string =>
  recipient_name ?? (recipient === null ? 'them' : formatContact(recipient));

export function approvalCopy(approval: Approval): ApprovalCopy {
  const whom = approvalRecipient(approval);
  switch (approval.kind) {
    case 'send_message':
      return approval.reason_code === 'first_contact'
        ? {
            question: `Write to ${whom} for the first time?`,
            icon: IconMessagePlus,
            approveLabel: 'Approve and send',
          }
        : { question: `Send this to ${whom}?`, icon: IconSend, approveLabel: 'Approve and send' };
    case 'create_conversation':
      return {
        question: `Start a conversation with ${whom}?`,
        icon: IconTargetArrow,
        approveLabel: 'Approve and start',
      };
    case 'schedule_message':
      return {
        question: `Send this to ${whom} ${shortTime(approval)}?`,
        icon: IconCalendarPlus,
        approveLabel: 'Approve the schedule',
      };
    case 'cancel_schedule':
      return {
        question: `Cancel the scheduled message to ${whom}?`,
        icon: IconCalendarX,
        approveLabel: 'Approve and cancel it',
      };
    case 'manage_grant':
      return {
        question: `Change what is open for ${whom}?`,
        icon: IconKey,
        approveLabel: 'Approve the change',
      };
  }
}

/** Without the time zone and the catch-up rule, which are shown beside the text. */
const shortTime = ({ when }: Approval): string => when?.split(/[,;]/, 1)[0] ?? 'later';

/** The owner's answer, as a ledger row stores it. */
export const ANSWER_SENTENCES: Readonly<Record<string, string>> = {
  approve: 'You said yes.',
  reject: 'You said no.',
  edit: 'You changed the words.',
};

export const approvalReason = ({ reason }: Pick<Approval, 'reason'>): string =>
  withoutApprovalsHint(reason);
