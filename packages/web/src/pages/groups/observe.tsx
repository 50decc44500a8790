// Starts observing a group: choose it, see the suggested announcement and what happens to its history, then confirm.
import { Button, Checkbox, CopyButton, Modal, Switch, TextInput } from '@mantine/core';
import type { ObservedGroup, ObservedPreview } from '@relay/contract/api/observed-groups';
import { IconAlertTriangle, IconEye, IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { plural } from '../../parts/format.ts';
import { Initials } from '../../parts/initials.tsx';
import { Note, Sentence } from '../../parts/page.tsx';
import classes from './groups.module.css';
import { retentionQuery } from './queries.ts';

interface ObserveModalProps {
  readonly isOpen: boolean;
  onClose(): void;
}

export function ObserveModal({ isOpen, onClose }: ObserveModalProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      size="lg"
      title="Observe a group"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <ChooseGroupForm onDone={onClose} />
    </Modal>
  );
}

function ChooseGroupForm({ onDone }: { onDone(): void }) {
  const [group, setGroup] = useState('');
  const isGone = useIsDaemonGone();
  const preview = useAction({
    run: (named: string) => relay.post('/api/observed-groups/preview', { body: { group: named } }),
    invalidates: [],
    showsErrorInPlace: true,
  });
  if (preview.data !== undefined) {
    return <ObserveTerms preview={preview.data} onBack={preview.reset} onDone={onDone} />;
  }
  const look = (event: FormEvent) => {
    event.preventDefault();
    preview.mutate(group.trim());
  };
  return (
    <form className={classes.form} onSubmit={look}>
      <TextInput
        label="Which group"
        description="Its name, as your phone shows it. Relay has to have heard from it once."
        data-autofocus
        value={group}
        onChange={(event) => setGroup(event.currentTarget.value)}
      />
      {preview.error && (
        <Note hue="bad" icon={IconAlertTriangle} role="alert">
          <Sentence text={readableError(preview.error)} />
        </Note>
      )}
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone || group.trim() === ''} loading={preview.isPending}>
          Look it up
        </Button>
      </div>
    </form>
  );
}

// The terms before confirming: the group found, the text to announce it with, and what is deleted.

interface ObserveTermsProps {
  readonly preview: ObservedPreview;
  onBack(): void;
  onDone(): void;
}

function ObserveTerms({ preview, onBack, onDone }: ObserveTermsProps) {
  const [isAnnounced, setAnnounced] = useState(false);
  const [answers, setAnswers] = useState(preview.may_answer);
  const isGone = useIsDaemonGone();
  const navigate = useNavigate();
  const { data: retention } = useQuery(retentionQuery);
  const observe = useAction({
    run: () =>
      relay.post('/api/observed-groups', {
        body: { group: preview.address, announced: isAnnounced, may_answer: answers },
      }),
    invalidates: ['groups', 'digests', 'status', 'ledger', 'whatsapp-permissions'],
    showsErrorInPlace: true,
    onSuccess: ({ chat_id }) => {
      onDone();
      void navigate({ to: '/groups/$id', params: { id: chat_id } });
    },
  });
  return (
    <div className={classes.form}>
      <div className={classes.found}>
        <Initials name={preview.name} large />
        <div>
          <b dir="auto">{preview.name}</b>
          <p className="small dim">
            {preview.observed
              ? 'Observed already; this changes its terms.'
              : `Hours and days by ${preview.zone}.`}
          </p>
        </div>
      </div>
      <div>
        <h3>Tell the group first</h3>
        <blockquote dir="auto" className={classes.announcement}>
          {preview.announcement}
        </blockquote>
        <CopyButton value={preview.announcement}>
          {({ copied, copy }) => (
            <Button variant="default" size="xs" onClick={copy}>
              {copied ? 'Copied' : 'Copy these words'}
            </Button>
          )}
        </CopyButton>
      </div>
      {retention !== undefined && (
        <Note hue="parked" icon={IconInfoCircle}>
          Messages of this group are kept for{' '}
          {plural(retention.limits.observed_messages_days, 'day')} and digests for{' '}
          {plural(retention.limits.digests_days, 'day')}. What Relay has of it that is older is
          deleted, and stays deleted.
        </Note>
      )}
      <Switch
        label="Your assistant may answer you there"
        description={`Only when you ask ${preview.assistant_name} by name, ${plural(preview.answers_per_day, 'time')} a day at most.`}
        checked={answers}
        onChange={(event) => setAnswers(event.currentTarget.checked)}
      />
      <Checkbox
        label="I have told the group"
        checked={isAnnounced}
        onChange={(event) => setAnnounced(event.currentTarget.checked)}
      />
      {observe.error && (
        <Note hue="bad" icon={IconAlertTriangle} role="alert">
          <Sentence text={readableError(observe.error)} />
        </Note>
      )}
      <div className={classes.acts}>
        <Button
          leftSection={<IconEye size={17} />}
          disabled={isGone || !isAnnounced}
          loading={observe.isPending}
          onClick={() => observe.mutate()}
        >
          {answers ? 'Read it' : 'Read it in silence'}
        </Button>
        <Button variant="default" onClick={onBack}>
          Another group
        </Button>
      </div>
    </div>
  );
}

// Asks before observing stops: what changes, and whether stored data is deleted too.

interface StopObservingModalProps {
  readonly group: ObservedGroup;
  readonly isOpen: boolean;
  onClose(): void;
}

export function StopObservingModal({ group, isOpen, onClose }: StopObservingModalProps) {
  const { data: retention } = useQuery(retentionQuery);
  const [erases, setErases] = useState(false);
  const isGone = useIsDaemonGone();
  const stop = useAction({
    run: () =>
      relay.delete('/api/observed-groups/{id}', {
        path: { id: group.chat_id },
        query: { erase: erases ? 'true' : 'false' },
      }),
    invalidates: ['groups', 'digests', 'status', 'ledger'],
    successMessage: erases
      ? `${group.name} is no longer read, and what was kept is erased.`
      : `${group.name} is no longer read.`,
    onSuccess: onClose,
  });
  const limits = retention?.limits;
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={`Stop observing ${group.name}?`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <p>
        Nothing more is read there and no digest is made.{' '}
        {limits !== undefined &&
          `What was kept stays until its limit: messages ${plural(limits.observed_messages_days, 'day')}, digests ${plural(limits.digests_days, 'day')}.`}
      </p>
      <Checkbox
        my={14}
        checked={erases}
        onChange={(event) => setErases(event.currentTarget.checked)}
        label="Also erase what was kept"
        description="Its messages, digests and facts go now, and cannot be brought back."
      />
      <div className={classes.acts}>
        <Button
          color="red"
          disabled={isGone}
          loading={stop.isPending}
          onClick={() => stop.mutate()}
        >
          {erases ? 'Stop and erase' : 'Stop observing'}
        </Button>
        <Button variant="default" onClick={onClose}>
          Go on observing
        </Button>
      </div>
    </Modal>
  );
}
