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
import { t } from '../../i18n.ts';
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
      title={t('groups.observe.title')}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
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
  const find = (event: FormEvent) => {
    event.preventDefault();
    preview.mutate(group.trim());
  };
  return (
    <form className={classes.form} onSubmit={find}>
      <TextInput
        label={t('groups.observe.group')}
        description={t('groups.observe.groupHint')}
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
          {t('groups.observe.find')}
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
  const [mayAnswer, setMayAnswer] = useState(preview.may_answer);
  const isGone = useIsDaemonGone();
  const navigate = useNavigate();
  const { data: retention } = useQuery(retentionQuery);
  const observe = useAction({
    run: () =>
      relay.post('/api/observed-groups', {
        body: { group: preview.address, announced: isAnnounced, may_answer: mayAnswer },
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
              ? t('groups.observe.alreadyObserved')
              : t('groups.observe.zone', { zone: preview.zone })}
          </p>
        </div>
      </div>
      <div>
        <h3>{t('groups.observe.announce')}</h3>
        <blockquote dir="auto" className={classes.announcement}>
          {preview.announcement}
        </blockquote>
        <CopyButton value={preview.announcement}>
          {({ copied, copy }) => (
            <Button variant="default" size="xs" onClick={copy}>
              {t(copied ? 'common.action.copied' : 'groups.observe.copyText')}
            </Button>
          )}
        </CopyButton>
      </div>
      {retention !== undefined && (
        <Note hue="parked" icon={IconInfoCircle}>
          {t('groups.observe.retention', {
            messageDays: retention.limits.observed_messages_days,
            digestDays: retention.limits.digests_days,
          })}
        </Note>
      )}
      <Switch
        label={t('groups.observe.answers')}
        description={t('groups.observe.answersHint', {
          assistant: preview.assistant_name,
          count: preview.answers_per_day,
        })}
        checked={mayAnswer}
        onChange={(event) => setMayAnswer(event.currentTarget.checked)}
      />
      <Checkbox
        label={t('groups.observe.announced')}
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
          {t('groups.observe.start')}
        </Button>
        <Button variant="default" onClick={onBack}>
          {t('groups.observe.another')}
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
    successMessage: t(erases ? 'groups.stop.doneErased' : 'groups.stop.done', {
      group: group.name,
    }),
    onSuccess: onClose,
  });
  const limits = retention?.limits;
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('groups.stop.title', { group: group.name })}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
    >
      <p>
        {t('groups.stop.explanation')}{' '}
        {limits !== undefined &&
          t('groups.stop.retention', {
            messageDays: limits.observed_messages_days,
            digestDays: limits.digests_days,
          })}
      </p>
      <Checkbox
        my={14}
        checked={erases}
        onChange={(event) => setErases(event.currentTarget.checked)}
        label={t('groups.stop.erase')}
        description={t('groups.stop.eraseHint')}
      />
      <div className={classes.acts}>
        <Button
          color="red"
          disabled={isGone}
          loading={stop.isPending}
          onClick={() => stop.mutate()}
        >
          {t(erases ? 'groups.stop.actionErase' : 'groups.stop.action')}
        </Button>
        <Button variant="default" onClick={onClose}>
          {t('common.action.cancel')}
        </Button>
      </div>
    </Modal>
  );
}
