// Webhooks: addresses that Relay sends events to. Each can be tested, disabled and deleted.
import { ActionIcon, Button, Modal, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import type { Webhook } from '@relay/contract/api/webhooks';
import {
  IconAlertTriangle,
  IconCheck,
  IconCircleDashed,
  IconTrash,
  IconWebhook,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { webhooksQuery } from '../../data/queries.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { formatAgo, plural } from '../../parts/format.ts';
import { askToConfirm } from '../../shell/dialog.tsx';
import { OneTimeSecret } from './one-time-secret.tsx';
import { ToolCard } from './tool-card.tsx';
import classes from './tools.module.css';

export function WebhooksCard() {
  const webhooks = useQuery(webhooksQuery);
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <ToolCard
        icon={IconWebhook}
        title="Webhooks"
        query={webhooks}
        status={({ webhooks: all }) => webhooksStatus(all)}
        action={({ webhooks: all }) => (
          <Button variant="default" size="xs" onClick={open}>
            {all.length === 0 ? 'New webhook' : 'Manage'}
          </Button>
        )}
      />
      <Modal
        opened={isOpen}
        onClose={close}
        size="lg"
        title="Webhooks"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <ul className={classes.listed}>
          {webhooks.data?.webhooks.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} />
          ))}
        </ul>
        <NewWebhookForm />
      </Modal>
    </>
  );
}

function webhooksStatus(all: readonly Webhook[]) {
  const failing = all.filter(({ failing_since, dead }) => failing_since !== null || dead > 0);
  const sentence = 'Relay tells other programs what happens, signed and retried.';
  if (failing.length > 0) {
    const who = plural(failing.length, 'webhook does', 'webhooks do');
    return {
      sentence: `${who} not arrive.`,
      word: 'Failing',
      hue: 'bad',
      icon: IconAlertTriangle,
    } as const;
  }
  if (all.length === 0)
    return { sentence, word: 'None', hue: 'parked', icon: IconCircleDashed } as const;
  return { sentence, word: plural(all.length, 'webhook'), hue: 'ok', icon: IconCheck } as const;
}

function WebhookRow({ webhook }: { readonly webhook: Webhook }) {
  const now = useNow(30_000);
  const isGone = useIsDaemonGone();
  const path = { webhook: webhook.id };
  const invalidates = ['webhooks', 'status'] as const;
  const toggle = useAction({
    run: (enabled: boolean) => relay.patch('/api/webhooks/{webhook}', { path, body: { enabled } }),
    invalidates,
  });
  const test = useAction({
    run: () => relay.post('/api/webhooks/{webhook}/test', { path }),
    invalidates,
    onSuccess: ({ state, last_error }) =>
      notifications.show({
        message: state === 'delivered' ? 'The ping arrived.' : (last_error ?? 'It did not arrive.'),
      }),
  });
  const remove = useAction({
    run: () => relay.delete('/api/webhooks/{webhook}', { path }),
    invalidates,
  });
  const askFirst = () =>
    askToConfirm({
      title: `Take the webhook ${webhook.name} away?`,
      body: 'Nothing more is told there, and what waits is dropped.',
      confirmLabel: 'Take it away',
      cancelLabel: 'Keep it',
      isDestructive: true,
      onConfirm: () => remove.mutate(),
    });
  const delivered =
    webhook.last_delivered_at === null
      ? 'nothing delivered yet'
      : `delivered ${formatAgo(webhook.last_delivered_at, now)}`;
  return (
    <li>
      <div>
        <b dir="auto">{webhook.name}</b>
        <p className="small dim">
          {webhook.url} · {webhook.note ?? delivered}
          {webhook.include_text && ' · with words and names'}
        </p>
      </div>
      <Switch
        aria-label={`Tell ${webhook.name}`}
        checked={webhook.enabled}
        disabled={isGone || toggle.isPending}
        onChange={(event) => toggle.mutate(event.currentTarget.checked)}
      />
      <Button
        variant="default"
        size="xs"
        disabled={isGone}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        Test
      </Button>
      <ActionIcon aria-label={`Take ${webhook.name} away`} disabled={isGone} onClick={askFirst}>
        <IconTrash size={17} stroke={1.6} />
      </ActionIcon>
    </li>
  );
}

// Creates a webhook: its address, and whether events include texts and names.

function NewWebhookForm() {
  const isGone = useIsDaemonGone();
  const form = useForm({
    initialValues: { url: '', include_text: false },
    validate: { url: (url) => (URL.canParse(url) ? null : 'Give a whole address, with https://.') },
  });
  const create = useAction({
    run: (body: typeof form.values) => relay.post('/api/webhooks', { body }),
    invalidates: ['webhooks'],
    showsErrorInPlace: true,
    onSuccess: () => form.reset(),
  });
  if (create.data) {
    return (
      <div className={classes.form}>
        <OneTimeSecret
          secret={create.data.secret}
          says="With this the receiver sees that it was Relay who wrote."
        />
        <div className={classes.acts}>
          <Button variant="default" onClick={() => create.reset()}>
            Done
          </Button>
        </div>
      </div>
    );
  }
  return (
    <form className={classes.form} onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <TextInput
        label="Address"
        placeholder="https://example.org/relay"
        {...form.getInputProps('url')}
        error={form.errors.url ?? (create.error && readableError(create.error))}
      />
      <Switch
        label="Tell words and names too"
        description="Without this it hears ids, kinds and times alone."
        {...form.getInputProps('include_text', { type: 'checkbox' })}
      />
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone} loading={create.isPending}>
          Make webhook
        </Button>
      </div>
    </form>
  );
}
