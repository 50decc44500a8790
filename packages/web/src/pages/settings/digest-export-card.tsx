// Digest export: digests are also written to a folder or a webhook. A webhook's secret is shown once, when it is
// created.
import { Button, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { DigestExportState } from '@relay/contract/api/digests';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { t } from '../../i18n.ts';
import { Card, Note, Sentence } from '../../parts/page.tsx';
import { LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import { OneTimeSecret } from '../tools/one-time-secret.tsx';
import { digestExportQuery } from './queries.ts';
import classes from './settings.module.css';

export function DigestExportSettingsCard() {
  const digestExport = useQuery(digestExportQuery);
  return (
    <Card title={t('settings.export.title')}>
      <p className="small dim">{t('settings.export.summary')}</p>
      <QueryContent
        query={digestExport}
        subject={t('settings.export.title')}
        loading={<LoadingLines lines={4} />}
      >
        {(state) => <DigestExportForm state={state} />}
      </QueryContent>
    </Card>
  );
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

function DigestExportForm({ state }: { readonly state: DigestExportState }) {
  const isGone = useIsDaemonGone();
  const form = useForm({
    initialValues: {
      folder: state.folder ?? '',
      webhook_url: state.webhook_url ?? '',
      hourly: state.hourly,
    },
  });
  const save = useAction({
    run: ({ folder, webhook_url, hourly }: typeof form.values) =>
      relay.patch('/api/outside-memory', {
        body: { folder: orNull(folder), webhook_url: orNull(webhook_url), hourly },
      }),
    invalidates: ['settings'],
    showsErrorInPlace: true,
    successMessage: t('settings.saved'),
    onSuccess: () => form.resetDirty(),
  });
  return (
    <form className={classes.form} onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <TextInput
        label={t('settings.export.folder')}
        description={t('settings.export.folderHelp')}
        disabled={isGone}
        {...form.getInputProps('folder')}
      />
      <TextInput
        label={t('settings.export.webhook')}
        description={t(
          state.signed ? 'settings.export.webhookSigned' : 'settings.export.webhookUnsigned',
        )}
        disabled={isGone}
        {...form.getInputProps('webhook_url')}
      />
      <Switch
        label={t('settings.export.hourly')}
        disabled={isGone}
        {...form.getInputProps('hourly', { type: 'checkbox' })}
      />
      {save.data?.webhook_secret != null && (
        <OneTimeSecret secret={save.data.webhook_secret} text={t('settings.export.secret')} />
      )}
      {save.error && (
        <Note hue="bad" icon={IconAlertTriangle} role="alert">
          <Sentence text={readableError(save.error)} />
        </Note>
      )}
      {form.isDirty() && (
        <div className={classes.acts}>
          <Button type="submit" disabled={isGone} loading={save.isPending}>
            {t('settings.export.save')}
          </Button>
          <Button variant="default" onClick={form.reset}>
            {t('settings.discard')}
          </Button>
        </div>
      )}
    </form>
  );
}
