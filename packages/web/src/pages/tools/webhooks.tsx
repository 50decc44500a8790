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
import { t } from '../../i18n.ts';
import { formatAgo } from '../../parts/format.ts';
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
        title={t('tools.webhooks.title')}
        query={webhooks}
        status={({ webhooks: all }) => webhooksStatus(all)}
        action={({ webhooks: all }) => (
          <Button variant="default" size="xs" onClick={open}>
            {t(all.length === 0 ? 'tools.webhooks.new' : 'tools.manage')}
          </Button>
        )}
      />
      <Modal
        opened={isOpen}
        onClose={close}
        size="lg"
        title={t('tools.webhooks.title')}
        closeButtonProps={{ 'aria-label': t('common.action.close') }}
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
  if (failing.length > 0) {
    return {
      sentence: t('tools.webhooks.failing', { count: failing.length }),
      label: t('tools.webhooks.failingLabel'),
      hue: 'bad',
      icon: IconAlertTriangle,
    } as const;
  }
  const sentence = t('tools.webhooks.text');
  if (all.length === 0) {
    const label = t('common.none');
    return { sentence, label, hue: 'parked', icon: IconCircleDashed } as const;
  }
  const label = t('tools.webhooks.count', { count: all.length });
  return { sentence, label, hue: 'ok', icon: IconCheck } as const;
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
        message:
          state === 'delivered'
            ? t('tools.webhooks.testDelivered')
            : (last_error ?? t('tools.webhooks.testFailed')),
      }),
  });
  const remove = useAction({
    run: () => relay.delete('/api/webhooks/{webhook}', { path }),
    invalidates,
  });
  const askFirst = () =>
    askToConfirm({
      title: t('tools.webhooks.delete.title', { name: webhook.name }),
      body: t('tools.webhooks.delete.text'),
      confirmLabel: t('common.action.delete'),
      cancelLabel: t('common.action.keep'),
      isDestructive: true,
      onConfirm: () => remove.mutate(),
    });
  const delivered =
    webhook.last_delivered_at === null
      ? t('tools.webhooks.neverDelivered')
      : t('tools.webhooks.delivered', { ago: formatAgo(webhook.last_delivered_at, now) });
  return (
    <li>
      <div>
        <b dir="auto">{webhook.name}</b>
        <p className="small dim">
          {webhook.url} · {webhook.note ?? delivered}
          {webhook.include_text && ` · ${t('tools.webhooks.withText')}`}
        </p>
      </div>
      <Switch
        aria-label={t('tools.webhooks.switch', { name: webhook.name })}
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
        {t('tools.webhooks.test')}
      </Button>
      <ActionIcon
        aria-label={t('tools.webhooks.deleteLabel', { name: webhook.name })}
        disabled={isGone}
        onClick={askFirst}
      >
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
    validate: { url: (url) => (URL.canParse(url) ? null : t('tools.webhooks.addressInvalid')) },
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
        <OneTimeSecret secret={create.data.secret} text={t('tools.webhooks.secret')} />
        <div className={classes.acts}>
          <Button variant="default" onClick={() => create.reset()}>
            {t('tools.done')}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <form className={classes.form} onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <TextInput
        label={t('tools.webhooks.address')}
        placeholder="https://example.org/relay"
        {...form.getInputProps('url')}
        error={form.errors.url ?? (create.error && readableError(create.error))}
      />
      <Switch
        label={t('tools.webhooks.includeText')}
        description={t('tools.webhooks.includeTextHelp')}
        {...form.getInputProps('include_text', { type: 'checkbox' })}
      />
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone} loading={create.isPending}>
          {t('tools.webhooks.create')}
        </Button>
      </div>
    </form>
  );
}
