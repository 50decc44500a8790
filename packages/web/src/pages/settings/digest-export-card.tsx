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
import { Card, Note, Sentence } from '../../parts/page.tsx';
import { LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import { OneTimeSecret } from '../tools/one-time-secret.tsx';
import { digestExportQuery } from './queries.ts';
import classes from './settings.module.css';

export function DigestExportSettingsCard() {
  const outside = useQuery(digestExportQuery);
  return (
    <Card title="Outside memory">
      <p className="small dim">
        Digests and facts of observed groups, also for a memory of your own: one file a day in a
        folder of this machine, or a signed webhook.
      </p>
      <QueryContent
        query={outside}
        subject="The outside memory"
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
    successMessage: 'Saved.',
    onSuccess: () => form.resetDirty(),
  });
  return (
    <form className={classes.form} onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <TextInput
        label="Folder"
        description="An absolute path on this machine; empty writes none."
        disabled={isGone}
        {...form.getInputProps('folder')}
      />
      <TextInput
        label="Webhook"
        description={
          state.signed
            ? 'Signed; the secret stays unless you make a new one.'
            : 'Gets a secret to be signed with.'
        }
        disabled={isGone}
        {...form.getInputProps('webhook_url')}
      />
      <Switch
        label="Digests of hours too"
        disabled={isGone}
        {...form.getInputProps('hourly', { type: 'checkbox' })}
      />
      {save.data?.webhook_secret != null && (
        <OneTimeSecret secret={save.data.webhook_secret} says="The webhook is signed with this." />
      )}
      {save.error && (
        <Note hue="bad" icon={IconAlertTriangle} role="alert">
          <Sentence text={readableError(save.error)} />
        </Note>
      )}
      {form.isDirty() && (
        <div className={classes.acts}>
          <Button type="submit" disabled={isGone} loading={save.isPending}>
            Save outside memory
          </Button>
          <Button variant="default" onClick={form.reset}>
            Leave as it was
          </Button>
        </div>
      )}
    </form>
  );
}
