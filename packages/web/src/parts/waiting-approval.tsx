// A message that waits for the owner's approval, where its chat or conversation is shown.
import { Button } from '@mantine/core';
import type { Approval } from '@relay/contract/api/approvals';
import { revealHidden } from '@relay/core/messages/text';
import { IconClipboardCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { t } from '../i18n.ts';
import { approvalCopy, approvalReason, approvalText } from './approval-copy.ts';
import { Note, Sentence } from './page.tsx';
import parts from './parts.module.css';

export function WaitingApproval({ approval }: { readonly approval: Approval }) {
  return (
    <Note
      hue="you"
      icon={IconClipboardCheck}
      actions={
        <Button component={Link} to={`/approvals/${approval.id}`} size="xs">
          {t('common.approval.review')}
        </Button>
      }
    >
      <b dir="auto">{approvalCopy(approval).question}</b>{' '}
      <span className="dim">
        <Sentence text={approvalReason(approval)} />
      </span>
      <blockquote className={parts.held} dir="auto">
        {revealHidden(approvalText(approval))}
      </blockquote>
    </Note>
  );
}
