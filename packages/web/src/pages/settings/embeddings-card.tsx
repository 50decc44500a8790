// Search by meaning: which model creates the vectors, its progress, and a trial before another is chosen.
import { Button, PasswordInput, Progress, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { MemoryStatus } from '@relay/contract/api/memory';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { t } from '../../i18n.ts';
import { Card, Note, Sentence } from '../../parts/page.tsx';
import { LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import { embeddingsText, embeddingsTrialText } from './copy.ts';
import { embeddingsStatusQuery } from './queries.ts';
import classes from './settings.module.css';

export function EmbeddingsCard() {
  const memory = useQuery(embeddingsStatusQuery);
  const [isOpen, setOpen] = useState(false);
  return (
    <Card title={t('settings.embeddings.title')}>
      <QueryContent
        query={memory}
        subject={t('settings.embeddings.subject')}
        loading={<LoadingLines lines={3} />}
      >
        {(status) => (
          <>
            <p className="small dim">{embeddingsText(status)}</p>
            <EmbeddingsProgress status={status} />
            {isOpen ? (
              <EmbeddingsForm status={status} onDone={() => setOpen(false)} />
            ) : (
              <div className={classes.acts}>
                <Button variant="default" onClick={() => setOpen(true)}>
                  {t('settings.embeddings.change')}
                </Button>
              </div>
            )}
          </>
        )}
      </QueryContent>
    </Card>
  );
}

function EmbeddingsProgress({ status }: { readonly status: MemoryStatus }) {
  if (status.embeddings === 'off') return null;
  const all = status.vectors + status.waiting;
  return (
    <>
      {status.waiting > 0 && (
        <Progress
          my={10}
          value={all === 0 ? 0 : (status.vectors / all) * 100}
          aria-label={t('settings.embeddings.progress', { done: status.vectors, all })}
        />
      )}
      {status.failure !== null && (
        <p className="small">
          <Sentence text={status.failure.sentence} />
        </p>
      )}
    </>
  );
}

// Chooses the embedding model: it is tried first, so that the owner knows what is sent off this machine and how long it
// takes.

const EMBEDDINGS_CHOICES = ['off', 'local', 'endpoint'] as const;

interface EmbeddingsFormProps {
  readonly status: MemoryStatus;
  onDone(): void;
}

function EmbeddingsForm({ status, onDone }: EmbeddingsFormProps) {
  const isGone = useIsDaemonGone();
  const form = useForm({
    initialValues: { embeddings: status.embeddings, base_url: '', model: '', api_key: '' },
    onValuesChange: () => trial.reset(),
  });
  const choice = () => {
    const { embeddings, ...endpoint } = form.getValues();
    const given = Object.entries(endpoint).filter(([, value]) => value.trim() !== '');
    return embeddings === 'endpoint'
      ? { embeddings, ...Object.fromEntries(given) }
      : { embeddings };
  };
  const trial = useAction({
    run: () => relay.post('/api/memory/embeddings/trial', { body: choice() }),
    invalidates: [],
    showsErrorInPlace: true,
  });
  const choose = useAction({
    run: () => relay.patch('/api/memory/embeddings', { body: choice() }),
    invalidates: ['settings'],
    showsErrorInPlace: true,
    successMessage: t('settings.embeddings.changed'),
    onSuccess: onDone,
  });
  const isOff = form.values.embeddings === 'off';
  const failure = trial.error ?? choose.error;
  return (
    <form
      className={classes.form}
      onSubmit={form.onSubmit(() =>
        isOff || trial.data !== undefined ? choose.mutate() : trial.mutate(),
      )}
    >
      <Select
        label={t('settings.embeddings.provider')}
        data={EMBEDDINGS_CHOICES.map((value) => ({
          value,
          label: t(`settings.embeddings.choice.${value}`),
        }))}
        allowDeselect={false}
        {...form.getInputProps('embeddings')}
      />
      {form.values.embeddings === 'endpoint' && (
        <>
          <TextInput
            label={t('settings.embeddings.address')}
            placeholder="https://api.example.com/v1"
            {...form.getInputProps('base_url')}
          />
          <TextInput label={t('settings.embeddings.model')} {...form.getInputProps('model')} />
          <PasswordInput
            label={t('settings.embeddings.key')}
            description={t('settings.embeddings.keyHelp')}
            autoComplete="off"
            {...form.getInputProps('api_key')}
          />
        </>
      )}
      {trial.data && (
        <Note hue="ok" icon={IconCheck} role="status">
          {embeddingsTrialText(trial.data)}
        </Note>
      )}
      {failure && (
        <Note hue="bad" icon={IconAlertTriangle} role="alert">
          <Sentence text={readableError(failure)} />
        </Note>
      )}
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone} loading={trial.isPending || choose.isPending}>
          {t(
            isOff
              ? 'settings.embeddings.turnOff'
              : trial.data === undefined
                ? 'settings.embeddings.test'
                : 'settings.embeddings.use',
          )}
        </Button>
        <Button variant="default" onClick={onDone}>
          {t('common.action.cancel')}
        </Button>
      </div>
    </form>
  );
}
