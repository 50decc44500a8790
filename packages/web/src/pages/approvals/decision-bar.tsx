// The buttons to approve, edit or decline. Approving sends the hash of the text on screen; a refusal is shown here in
// the daemon's words.
import { Button, TextInput } from '@mantine/core';
import type { Approval } from '@relay/contract/api/approvals';
import { isApprovalEditable } from '@relay/core/approvals/approval-text';
import { IconAlertTriangle, IconCheck, IconEdit } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { statusQuery } from '../../data/queries.ts';
import { readableError } from '../../data/relay.ts';
import { t } from '../../i18n.ts';
import { approvalCopy } from '../../parts/approval-copy.ts';
import { Note, Sentence } from '../../parts/page.tsx';
import { KeyHint, useKeys } from '../../shell/keys.tsx';
import classes from './approvals.module.css';
import { whenApprovalTakesEffect } from './copy.ts';
import type { ApprovalAnswers } from './queries.ts';

interface DecisionBarProps {
  readonly approval: Approval;
  /** The whole text has been on screen. */
  readonly isSeen: boolean;
  readonly answers: ApprovalAnswers;
  readonly edited: string | null;
  onEdit(text: string | null): void;
  /** Undefined while there is no change to save. */
  readonly onKeep: (() => void) | undefined;
  readonly onApproveEdited: (() => void) | undefined;
}

export function DecisionBar({
  approval,
  answers,
  isSeen,
  edited,
  onEdit,
  onKeep,
  onApproveEdited,
}: DecisionBarProps) {
  const [isDeclining, setDeclining] = useState(false);
  const error = answers.approve.error ?? answers.edit.error ?? answers.decline.error;
  return (
    <footer className={classes.acts}>
      {error !== null && (
        <div className={classes.refused}>
          <Note hue="held" icon={IconAlertTriangle} role="alert">
            <Sentence text={readableError(error)} />
          </Note>
        </div>
      )}
      {edited !== null ? (
        <EditButtons
          answers={answers}
          approveLabel={approvalCopy(approval).approveLabel}
          onKeep={onKeep}
          onApprove={onApproveEdited}
          onCancel={() => onEdit(null)}
        />
      ) : isDeclining ? (
        <DeclineForm decline={answers.decline} onCancel={() => setDeclining(false)} />
      ) : (
        <DecideButtons
          approval={approval}
          approve={answers.approve}
          isSeen={isSeen}
          onEdit={hasEditableText(approval) ? () => onEdit(approval.text) : undefined}
          onDecline={() => setDeclining(true)}
        />
      )}
    </footer>
  );
}

/** A reaction, a poll and the like have no text of their own. */
const hasEditableText = (approval: Approval): boolean =>
  isApprovalEditable(approval) &&
  (approval.content === undefined || approval.media !== undefined || approval.text !== '');

interface DecideButtonsProps {
  readonly approval: Approval;
  readonly approve: ApprovalAnswers['approve'];
  readonly isSeen: boolean;
  readonly onEdit: (() => void) | undefined;
  onDecline(): void;
}

function DecideButtons({ approval, approve, isSeen, onEdit, onDecline }: DecideButtonsProps) {
  const isOff = useIsDaemonGone() || approve.isPending;
  const { data: status } = useQuery(statusQuery);
  const { approveLabel } = approvalCopy(approval);
  const mayApprove = isSeen && !isOff;
  const submit = () => approve.mutate();
  useKeys({ a: mayApprove ? submit : undefined }, approveLabel);
  useKeys({ e: isOff ? undefined : onEdit }, t('approvals.edit.section'));
  useKeys({ d: isOff ? undefined : onDecline }, t('common.action.decline'));
  return (
    <>
      <Button
        leftSection={<IconCheck size={17} />}
        rightSection={<KeyHint>A</KeyHint>}
        aria-keyshortcuts="A"
        disabled={!mayApprove}
        loading={approve.isPending}
        onClick={submit}
      >
        {approveLabel}
      </Button>
      {onEdit !== undefined && (
        <Button
          variant="default"
          leftSection={<IconEdit size={16} />}
          rightSection={<KeyHint>E</KeyHint>}
          aria-keyshortcuts="E"
          disabled={isOff}
          onClick={onEdit}
        >
          {t('common.action.edit')}
        </Button>
      )}
      <Button
        variant="default"
        rightSection={<KeyHint>D</KeyHint>}
        aria-keyshortcuts="D"
        disabled={isOff}
        onClick={onDecline}
      >
        {t('common.action.decline')}
      </Button>
      <p className={classes.effect}>
        {isSeen ? whenApprovalTakesEffect(approval, status) : t('approvals.effect.unread')}
      </p>
    </>
  );
}

interface EditButtonsProps {
  readonly answers: Pick<ApprovalAnswers, 'edit' | 'editAndApprove'>;
  readonly approveLabel: string;
  readonly onKeep: (() => void) | undefined;
  readonly onApprove: (() => void) | undefined;
  onCancel(): void;
}

function EditButtons({ answers, approveLabel, onKeep, onApprove, onCancel }: EditButtonsProps) {
  const { edit, editAndApprove } = answers;
  return (
    <>
      <Button
        leftSection={<IconCheck size={17} />}
        disabled={onApprove === undefined || edit.isPending}
        loading={editAndApprove.isPending}
        onClick={onApprove}
      >
        {approveLabel}
      </Button>
      <Button
        variant="default"
        disabled={onKeep === undefined || editAndApprove.isPending}
        loading={edit.isPending}
        rightSection={<KeyHint>{t('approvals.edit.saveKey')}</KeyHint>}
        onClick={onKeep}
      >
        {t('approvals.edit.save')}
      </Button>
      <Button variant="default" onClick={onCancel}>
        {t('common.action.cancel')}
      </Button>
    </>
  );
}

interface DeclineFormProps {
  readonly decline: ApprovalAnswers['decline'];
  onCancel(): void;
}

function DeclineForm({ decline, onCancel }: DeclineFormProps) {
  const [reason, setReason] = useState('');
  const isGone = useIsDaemonGone();
  const send = (event: FormEvent) => {
    event.preventDefault();
    decline.mutate(reason.trim());
  };
  return (
    <form className={classes.decline} onSubmit={send}>
      <TextInput
        label={t('approvals.decline.label')}
        description={t('approvals.decline.hint')}
        autoFocus
        maxLength={500}
        dir="auto"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && onCancel()}
      />
      <Button type="submit" disabled={isGone} loading={decline.isPending}>
        {t('common.action.decline')}
      </Button>
      <Button variant="default" onClick={onCancel}>
        {t('common.action.cancel')}
      </Button>
    </form>
  );
}
