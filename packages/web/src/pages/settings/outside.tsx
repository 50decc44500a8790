// Outside memory: digests also go to a folder or a webhook. The secret of a webhook is shown once, when it is made.
import { Button, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { OutsideMemoryState } from '@relay/core/api/outside-memory';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { relay, sentenceOf } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { Card } from '../../parts/card.tsx';
import { Note } from '../../parts/note.tsx';
import { Asked, LoadingLines } from '../../parts/places.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { Secret } from '../tools/secret.tsx';
import { outsideMemoryQuery } from './queries.ts';
import classes from './settings.module.css';

export function OutsideCard() {
  const outside = useQuery(outsideMemoryQuery);
  return (
    <Card title="Outside memory">
      <p className="small dim">
        Digests and facts of observed groups, also for a memory of your own: one file a day in a
        folder of this machine, or a signed webhook.
      </p>
      <Asked query={outside} what="The outside memory" loading={<LoadingLines lines={4} />}>
        {(state) => <OutsideForm state={state} />}
      </Asked>
    </Card>
  );
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

function OutsideForm({ state }: { readonly state: OutsideMemoryState }) {
  const isGone = useIsGone();
  const form = useForm({
    initialValues: {
      folder: state.folder ?? '',
      webhook_url: state.webhook_url ?? '',
      hourly: state.hourly,
    },
  });
  const save = useAct({
    act: ({ folder, webhook_url, hourly }: typeof form.values) =>
      relay.patch('/api/outside-memory', {
        body: { folder: orNull(folder), webhook_url: orNull(webhook_url), hourly },
      }),
    touches: ['settings'],
    quiet: true,
    done: 'Saved.',
    onDone: () => form.resetDirty(),
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
        <Secret secret={save.data.webhook_secret} says="The webhook is signed with this." />
      )}
      {save.error && (
        <Note hue="bad" icon={IconAlertTriangle} role="alert">
          <Sentence text={sentenceOf(save.error)} />
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
