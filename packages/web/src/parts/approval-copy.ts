// What an approval asks, as a question that names the person. Pure; shared by every place that shows one.
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
  /** What the yes does. */
  readonly yes: string;
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
            yes: 'Approve and send',
          }
        : { question: `Send this to ${whom}?`, icon: IconSend, yes: 'Approve and send' };
    case 'create_conversation':
      return {
        question: `Start a conversation with ${whom}?`,
        icon: IconTargetArrow,
        yes: 'Approve and start',
      };
    case 'schedule_message':
      return {
        question: `Send this to ${whom} ${shortTime(approval)}?`,
        icon: IconCalendarPlus,
        yes: 'Approve the schedule',
      };
    case 'cancel_schedule':
      return {
        question: `Cancel the scheduled message to ${whom}?`,
        icon: IconCalendarX,
        yes: 'Approve and cancel it',
      };
    case 'manage_grant':
      return {
        question: `Change what is open for ${whom}?`,
        icon: IconKey,
        yes: 'Approve the change',
      };
  }
}

/** Without the zone and what becomes of a missed one, which stand beside the text. */
const shortTime = ({ when }: Approval): string => when?.split(/[,;]/, 1)[0] ?? 'later';

/** What the owner said, as a row of the ledger keeps it. */
export const ANSWER_SENTENCES: Readonly<Record<string, string>> = {
  approve: 'You said yes.',
  reject: 'You said no.',
  edit: 'You changed the words.',
};

export const approvalReason = ({ reason }: Pick<Approval, 'reason'>): string =>
  withoutApprovalsHint(reason);
