// The decision: yes to what was shown, other words, or no. The yes sends the hash of what was on the screen; a
// refusal is told here, in the daemon's words.
import { Button, TextInput } from '@mantine/core';
import type { Approval } from '@relay/core/api/approvals';
import { isEditable } from '@relay/core/approvals/editable';
import { IconAlertTriangle, IconCheck, IconEdit } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { statusQuery } from '../../data/queries.ts';
import { sentenceOf } from '../../data/relay.ts';
import { useIsGone } from '../../data/use-live.ts';
import { approvalWords } from '../../parts/approval-words.ts';
import { Note } from '../../parts/note.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { KeyHint, useKeys } from '../../shell/keys.tsx';
import classes from './approvals.module.css';
import type { Answers } from './use-answers.ts';
import { leaves } from './words.ts';

interface ActsProps {
  readonly approval: Approval;
  /** The whole text has been on the screen. */
  readonly isSeen: boolean;
  readonly answers: Answers;
  readonly edited: string | null;
  onEdit(text: string | null): void;
  /** Left out while there is nothing new to keep. */
  readonly onKeep: (() => void) | undefined;
}

export function Acts({ approval, answers, isSeen, edited, onEdit, onKeep }: ActsProps) {
  const [isDeclining, setDeclining] = useState(false);
  const error = answers.approve.error ?? answers.edit.error ?? answers.decline.error;
  return (
    <footer className={classes.acts}>
      {error !== null && (
        <div className={classes.refused}>
          <Note hue="held" icon={IconAlertTriangle} role="alert">
            <Sentence text={sentenceOf(error)} />
          </Note>
        </div>
      )}
      {edited !== null ? (
        <Edit isPending={answers.edit.isPending} onKeep={onKeep} onLeave={() => onEdit(null)} />
      ) : isDeclining ? (
        <Decline decline={answers.decline} onKeep={() => setDeclining(false)} />
      ) : (
        <Decide
          approval={approval}
          approve={answers.approve}
          isSeen={isSeen}
          onEdit={isEditable(approval) ? () => onEdit(approval.text) : undefined}
          onDecline={() => setDeclining(true)}
        />
      )}
    </footer>
  );
}

interface DecideProps {
  readonly approval: Approval;
  readonly approve: Answers['approve'];
  readonly isSeen: boolean;
  readonly onEdit: (() => void) | undefined;
  onDecline(): void;
}

function Decide({ approval, approve, isSeen, onEdit, onDecline }: DecideProps) {
  const isOff = useIsGone() || approve.isPending;
  const { data: status } = useQuery(statusQuery);
  const { yes } = approvalWords(approval);
  const mayApprove = isSeen && !isOff;
  const say = () => approve.mutate();
  useKeys({ a: mayApprove ? say : undefined }, yes);
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
        {yes}
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
        {isSeen ? leaves(approval, status) : 'Read the text to its end first.'}
      </p>
    </>
  );
}

interface EditProps {
  readonly isPending: boolean;
  readonly onKeep: (() => void) | undefined;
  onLeave(): void;
}

function Edit({ isPending, onKeep, onLeave }: EditProps) {
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

interface DeclineProps {
  readonly decline: Answers['decline'];
  onKeep(): void;
}

function Decline({ decline, onKeep }: DeclineProps) {
  const [reason, setReason] = useState('');
  const isGone = useIsGone();
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
