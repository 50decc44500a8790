// Tools & connections: is it linked, and what else is Relay connected to. WhatsApp is managed here and nowhere else.
import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { linkQuery, whatsappStatusQuery } from '../../data/queries.ts';
import { sentenceOf } from '../../data/relay.ts';
import { useNow } from '../../data/use-now.ts';
import { connectionShown, NOT_KNOWN, statusShown } from '../../parts/connection.ts';
import { Note } from '../../parts/note.tsx';
import { phoneNumber } from '../../parts/numbers.ts';
import { Page } from '../../parts/page.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { BraveCard } from './brave.tsx';
import { ForwarderCard } from './forwarder.tsx';
import { ModelCard } from './model.tsx';
import { ProgramsCard } from './programs.tsx';
import classes from './tools.module.css';
import { useLinking } from './use-linking.ts';
import { WebhooksCard } from './webhooks.tsx';
import { WhatsAppCard } from './whatsapp.tsx';

export function Tools() {
  const linking = useLinking();
  const polled = useQuery(whatsappStatusQuery);
  const isLinking = linking.status === 'qr_ready' || linking.status === 'connecting';
  // While somebody looks at a code, each step of the phone shows at once.
  const { data: link } = useQuery({ ...linkQuery, refetchInterval: isLinking ? 1_500 : 10_000 });
  const now = useNow();
  const isUnknown = polled.data === undefined && linking.status === 'disconnected';
  const known =
    link?.status === linking.status ? connectionShown(link, now) : statusShown(linking.status, now);
  return (
    <Page
      title="Tools & connections"
      sentence={
        isUnknown
          ? notKnown(polled.isPending)
          : sentenceFor(linking.status, linking.phone ?? link?.phone ?? null)
      }
      lead="Relay joins as a linked device, like WhatsApp on a computer. You can unlink it from your phone at any time."
    >
      {polled.isError && polled.data === undefined && (
        <div className={classes.unknown}>
          <Note
            hue="bad"
            icon={IconAlertTriangle}
            role="alert"
            acts={
              <Button variant="default" size="xs" onClick={() => void polled.refetch()}>
                Try again
              </Button>
            }
          >
            <b>WhatsApp’s state could not be loaded.</b>{' '}
            <Sentence text={sentenceOf(polled.error)} />
          </Note>
        </div>
      )}
      <WhatsAppCard
        linking={linking}
        link={link}
        shown={isUnknown ? NOT_KNOWN : known}
        isLoading={polled.isPending}
      />
      <h2 className={classes.section}>Other connections</h2>
      <div className={classes.grid}>
        <ModelCard />
        <BraveCard />
        <ProgramsCard />
        <WebhooksCard />
        <ForwarderCard />
      </div>
    </Page>
  );
}

const notKnown = (isPending: boolean): string =>
  isPending ? 'Asking Relay how the link is …' : 'How the link is cannot be said right now.';

function sentenceFor(status: string, phone: string | null): string {
  if (status === 'connected') {
    return phone === null ? 'WhatsApp is linked.' : `WhatsApp is linked as ${phoneNumber(phone)}.`;
  }
  if (phone === null) return 'Link your phone to begin.';
  return status === 'connecting' ? 'Reaching WhatsApp.' : 'WhatsApp is not connected.';
}
