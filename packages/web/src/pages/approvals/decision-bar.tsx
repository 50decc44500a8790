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
}

export function DecisionBar({
  approval,
  answers,
  isSeen,
  edited,
  onEdit,
  onKeep,
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
          isPending={answers.edit.isPending}
          onKeep={onKeep}
          onLeave={() => onEdit(null)}
        />
      ) : isDeclining ? (
        <DeclineForm decline={answers.decline} onKeep={() => setDeclining(false)} />
      ) : (
        <DecideButtons
          approval={approval}
          approve={answers.approve}
          isSeen={isSeen}
          onEdit={isApprovalEditable(approval) ? () => onEdit(approval.text) : undefined}
          onDecline={() => setDeclining(true)}
        />
      )}
    </footer>
  );
}

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
  const say = () => approve.mutate();
  useKeys({ a: mayApprove ? say : undefined }, approveLabel);
  useKeys({ e: isOff ? undefined : onEdit }, 'Edit the text');
  useKeys({ d: isOff ? undefined : onDecline }, 'Decline');
  return (
    <>
      <Button
        leftSection={<IconCheck size={17} />}
        rightSection={<KeyHint>A</KeyHint>}
        aria-keyshortcuts="A"
        disabled={!mayApprove}
        loading={approve.isPending}
        onClick={say}
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
          Edit
        </Button>
      )}
      <Button
        variant="default"
        rightSection={<KeyHint>D</KeyHint>}
        aria-keyshortcuts="D"
        disabled={isOff}
        onClick={onDecline}
      >
        Decline
      </Button>
      <p className={classes.leaves}>
        {isSeen ? whenApprovalTakesEffect(approval, status) : 'Read the text to its end first.'}
      </p>
    </>
  );
}

interface EditButtonsProps {
  readonly isPending: boolean;
  readonly onKeep: (() => void) | undefined;
  onLeave(): void;
}

function EditButtons({ isPending, onKeep, onLeave }: EditButtonsProps) {
  return (
    <>
      <Button
        disabled={onKeep === undefined}
        loading={isPending}
        rightSection={<KeyHint>Ctrl ⏎</KeyHint>}
        onClick={onKeep}
      >
        Keep this text
      </Button>
      <Button variant="default" onClick={onLeave}>
        Leave it as it was
      </Button>
      <p className={classes.leaves}>It takes the old one’s place, and waits for your yes.</p>
    </>
  );
}

interface DeclineFormProps {
  readonly decline: ApprovalAnswers['decline'];
  onKeep(): void;
}

function DeclineForm({ decline, onKeep }: DeclineFormProps) {
  const [reason, setReason] = useState('');
  const isGone = useIsDaemonGone();
  const send = (event: FormEvent) => {
    event.preventDefault();
    decline.mutate(reason.trim());
  };
  return (
    <form className={classes.decline} onSubmit={send}>
      <TextInput
        label="Why, if you like. The agent of a conversation reads it."
        autoFocus
        maxLength={500}
        dir="auto"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && onKeep()}
      />
      <Button type="submit" disabled={isGone} loading={decline.isPending}>
        Decline
      </Button>
      <Button variant="default" onClick={onKeep}>
        Keep it waiting
      </Button>
    </form>
  );
}
