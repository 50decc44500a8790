// The page of tools and connections. WhatsApp is managed only here.
import { Button, Modal, PasswordInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
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
import { CONNECTION_UNKNOWN, connectionDisplay, statusDisplay } from '../../parts/connection.ts';
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
      title="Tools & connections"
      sentence={
        isUnknown
          ? notLoadedSentence(polled.isPending)
          : linkSentence(linking.status, linking.phone ?? link?.phone ?? null)
      }
      summary="Relay joins as a linked device, like WhatsApp on a computer. You can unlink it from your phone at any time."
    >
      {polled.isError && polled.data === undefined && (
        <div className={classes.unknown}>
          <Note
            hue="bad"
            icon={IconAlertTriangle}
            role="alert"
            actions={
              <Button variant="default" size="xs" onClick={() => void polled.refetch()}>
                Try again
              </Button>
            }
          >
            <b>WhatsApp’s state could not be loaded.</b>{' '}
            <Sentence text={readableError(polled.error)} />
          </Note>
        </div>
      )}
      <WhatsAppCard
        linking={linking}
        link={link}
        shown={isUnknown ? CONNECTION_UNKNOWN : known}
        isLoading={polled.isPending}
      />
      <h2 className={classes.section}>Other connections</h2>
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

const notLoadedSentence = (isPending: boolean): string =>
  isPending ? 'Asking Relay how the link is …' : 'How the link is cannot be said right now.';

function linkSentence(status: string, phone: string | null): string {
  if (status === 'connected') {
    return phone === null
      ? 'WhatsApp is linked.'
      : `WhatsApp is linked as ${formatPhoneNumber(phone)}.`;
  }
  if (phone === null) return 'Link your phone to begin.';
  return status === 'connecting' ? 'Reaching WhatsApp.' : 'WhatsApp is not connected.';
}

// Brave Search: with a key, agents can search the web; without one, none can.

function BraveCard() {
  const settings = useQuery(settingsQuery);
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <ToolCard
        icon={IconWorldSearch}
        title="Brave Search"
        query={settings}
        status={({ web_search }) =>
          web_search.has_key
            ? {
                sentence: 'Agents can look things up on the web.',
                word: 'On',
                hue: 'ok',
                icon: IconCheck,
              }
            : {
                sentence: 'Lets agents look things up on the web. Needs an API key.',
                word: 'Off',
                hue: 'parked',
                icon: IconCircleDashed,
              }
        }
        action={({ web_search }) => (
          <Button variant="default" size="xs" onClick={open}>
            {web_search.has_key ? 'Change' : 'Add key'}
          </Button>
        )}
      />
      <Modal
        opened={isOpen}
        onClose={close}
        title="Brave Search"
        closeButtonProps={{ 'aria-label': 'Close' }}
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
        label="API key"
        description="From Brave’s search API. Kept sealed, never shown again."
        autoComplete="off"
        data-autofocus
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
      />
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone || key.trim() === ''} loading={save.isPending}>
          Save key
        </Button>
        {hasKey && (
          <Button
            variant="outline"
            color="red"
            disabled={isGone || save.isPending}
            onClick={() => save.mutate(null)}
          >
            Remove key
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
  const end = useAction({
    run: () => relay.delete('/api/ingest/token'),
    invalidates: ['tokens'],
    successMessage: 'The forwarder’s token is ended.',
  });
  const askFirst = () =>
    askToConfirm({
      title: 'End the forwarder’s token?',
      body: 'What the phone forwards is refused from then on.',
      confirmLabel: 'End it',
      cancelLabel: 'Keep it',
      isDestructive: true,
      onConfirm: () => end.mutate(),
    });
  return (
    <ToolCard
      icon={IconBellShare}
      title="Notification forwarder"
      query={forwarder}
      status={({ exists, last_used_at }) =>
        exists
          ? {
              sentence:
                last_used_at === null
                  ? 'A token is there; nothing was forwarded yet.'
                  : `Last forwarded ${formatAgo(last_used_at, now)}.`,
              word: 'On',
              hue: 'ok',
              icon: IconCheck,
            }
          : {
              sentence:
                'Reads groups from an Android phone, without a linked device. `relay observe token` makes its token.',
              word: 'Off',
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
            loading={end.isPending}
            onClick={askFirst}
          >
            End
          </Button>
        )
      }
    />
  );
}
