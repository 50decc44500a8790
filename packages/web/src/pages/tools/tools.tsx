// The page of tools and connections. WhatsApp is managed only here.
import { Button, Modal, PasswordInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { WhatsAppStatus } from '@relay/contract/connection/states';
import {
  IconAlertTriangle,
  IconBellShare,
  IconCheck,
  IconCircleDashed,
  IconWorldSearch,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import {
  forwarderQuery,
  linkQuery,
  settingsQuery,
  whatsappStatusQuery,
} from '../../data/queries.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import {
  connectionDisplay,
  statusDisplay,
  unknownConnectionDisplay,
} from '../../parts/connection.ts';
import { formatAgo, formatPhoneNumber } from '../../parts/format.ts';
import { Note, Page, Sentence } from '../../parts/page.tsx';
import { askToConfirm } from '../../shell/dialog.tsx';
import { ClientsCard } from './clients.tsx';
import { ModelCard } from './model.tsx';
import { ToolCard } from './tool-card.tsx';
import classes from './tools.module.css';
import { useWhatsAppLinking } from './use-linking.ts';
import { WebhooksCard } from './webhooks.tsx';
import { WhatsAppCard } from './whatsapp.tsx';

export function ToolsScreen() {
  const linking = useWhatsAppLinking();
  const polled = useQuery(whatsappStatusQuery);
  const isLinking = linking.status === 'qr_ready' || linking.status === 'connecting';
  // While a code is shown, each step on the phone must show at once.
  const { data: link } = useQuery({ ...linkQuery, refetchInterval: isLinking ? 1_500 : 10_000 });
  const now = useNow();
  const isUnknown = polled.data === undefined && linking.status === 'disconnected';
  const known =
    link?.status === linking.status
      ? connectionDisplay(link, now)
      : statusDisplay(linking.status, now);
  return (
    <Page
      title={t('common.page.tools')}
      summary={
        isUnknown ? undefined : linkSummary(linking.status, linking.phone ?? link?.phone ?? null)
      }
    >
      {polled.isError && polled.data === undefined && (
        <div className={classes.unknown}>
          <Note
            hue="bad"
            icon={IconAlertTriangle}
            role="alert"
            actions={
              <Button variant="default" size="xs" onClick={() => void polled.refetch()}>
                {t('common.action.retry')}
              </Button>
            }
          >
            <b>{t('tools.loadFailed')}</b> <Sentence text={readableError(polled.error)} />
          </Note>
        </div>
      )}
      <WhatsAppCard
        linking={linking}
        link={link}
        shown={isUnknown ? unknownConnectionDisplay() : known}
        isLoading={polled.isPending}
      />
      <h2 className={classes.section}>{t('tools.other.title')}</h2>
      <div className={classes.grid}>
        <ModelCard />
        <BraveCard />
        <ClientsCard />
        <WebhooksCard />
        <ForwarderCard />
      </div>
    </Page>
  );
}

function linkSummary(status: WhatsAppStatus, phone: string | null): string {
  if (status === 'connected') {
    return phone === null
      ? t('tools.summary.linked')
      : t('tools.summary.linkedAs', { phone: formatPhoneNumber(phone) });
  }
  if (phone === null) return t('tools.summary.unlinked');
  return t(status === 'connecting' ? 'tools.summary.connecting' : 'tools.summary.disconnected');
}

// Brave Search: with a key, agents can search the web; without one, none can.

function BraveCard() {
  const settings = useQuery(settingsQuery);
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <ToolCard
        icon={IconWorldSearch}
        title={t('tools.brave.title')}
        query={settings}
        status={({ web_search }) =>
          web_search.has_key
            ? {
                sentence: t('tools.brave.on'),
                label: t('common.on'),
                hue: 'ok',
                icon: IconCheck,
              }
            : {
                sentence: t('tools.brave.off'),
                label: t('common.off'),
                hue: 'parked',
                icon: IconCircleDashed,
              }
        }
        action={({ web_search }) => (
          <Button variant="default" size="xs" onClick={open}>
            {t(web_search.has_key ? 'tools.change' : 'tools.brave.addKey')}
          </Button>
        )}
      />
      <Modal
        opened={isOpen}
        onClose={close}
        title={t('tools.brave.title')}
        closeButtonProps={{ 'aria-label': t('common.action.close') }}
      >
        <KeyForm hasKey={settings.data?.web_search.has_key ?? false} onDone={close} />
      </Modal>
    </>
  );
}

interface KeyFormProps {
  readonly hasKey: boolean;
  onDone(): void;
}

function KeyForm({ hasKey, onDone }: KeyFormProps) {
  const [key, setKey] = useState('');
  const isGone = useIsDaemonGone();
  const save = useAction({
    run: (brave_api_key: string | null) =>
      relay.patch('/api/settings', { body: { brave_api_key } }),
    invalidates: ['settings'],
    onSuccess: onDone,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(key.trim());
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <PasswordInput
        label={t('tools.brave.key')}
        description={t('tools.brave.keyHelp')}
        autoComplete="off"
        data-autofocus
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
      />
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone || key.trim() === ''} loading={save.isPending}>
          {t('tools.brave.saveKey')}
        </Button>
        {hasKey && (
          <Button
            variant="outline"
            color="red"
            disabled={isGone || save.isPending}
            onClick={() => save.mutate(null)}
          >
            {t('tools.brave.removeKey')}
          </Button>
        )}
      </div>
    </form>
  );
}

// The notification forwarder: reads groups from an Android phone, without a linked device. Its token can only be
// created in a terminal, so the card shows the command.

function ForwarderCard() {
  const forwarder = useQuery(forwarderQuery);
  const now = useNow(30_000);
  const isGone = useIsDaemonGone();
  const revoke = useAction({
    run: () => relay.delete('/api/ingest/token'),
    invalidates: ['tokens'],
    successMessage: t('tools.forwarder.revoked'),
  });
  const askFirst = () =>
    askToConfirm({
      title: t('tools.forwarder.revoke.title'),
      body: t('tools.forwarder.revoke.text'),
      confirmLabel: t('tools.forwarder.revoke'),
      cancelLabel: t('common.action.keep'),
      isDestructive: true,
      onConfirm: () => revoke.mutate(),
    });
  return (
    <ToolCard
      icon={IconBellShare}
      title={t('tools.forwarder.title')}
      query={forwarder}
      status={({ exists, last_used_at }) =>
        exists
          ? {
              sentence:
                last_used_at === null
                  ? t('tools.forwarder.unused')
                  : t('tools.forwarder.used', { ago: formatAgo(last_used_at, now) }),
              label: t('common.on'),
              hue: 'ok',
              icon: IconCheck,
            }
          : {
              sentence: t('tools.forwarder.off'),
              label: t('common.off'),
              hue: 'parked',
              icon: IconCircleDashed,
            }
      }
      action={({ exists }) =>
        exists && (
          <Button
            variant="default"
            size="xs"
            disabled={isGone}
            loading={revoke.isPending}
            onClick={askFirst}
          >
            {t('tools.forwarder.revoke')}
          </Button>
        )
      }
    />
  );
}
