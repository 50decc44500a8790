// The card of WhatsApp: how the link is, and what can be done about it in this state.

import { Button, Skeleton } from '@mantine/core';
import type { LinkBody } from '@relay/core/api/link';
import { IconBrandWhatsapp } from '@tabler/icons-react';
import { useState } from 'react';
import { useIsGone } from '../../data/use-live.ts';
import type { ConnectionShown } from '../../parts/connection.ts';
import { Badge, Tile } from '../../parts/marks.tsx';
import parts from '../../parts/parts.module.css';
import { Sentence } from '../../parts/sentence.tsx';
import { Connected } from './connected.tsx';
import { LinkingSteps } from './linking-steps.tsx';
import { OpensNobody } from './opens-nobody.tsx';
import { PairingForm } from './pairing.tsx';
import classes from './tools.module.css';
import type { Linking } from './use-linking.ts';

interface WhatsAppCardProps {
  readonly linking: Linking;
  readonly link: LinkBody | undefined;
  readonly shown: ConnectionShown;
  readonly isLoading: boolean;
}

export function WhatsAppCard({ linking, link, shown, isLoading }: WhatsAppCardProps) {
  return (
    <section className={`${parts.card} ${classes.whatsapp}`} aria-labelledby="whatsapp">
      <header>
        <Tile hue="agent" icon={IconBrandWhatsapp} large />
        <div>
          <h2 id="whatsapp">WhatsApp</h2>
          {isLoading ? (
            <Skeleton width={220} height={11} mt={8} />
          ) : (
            <p className="small dim" aria-live="polite">
              <Sentence text={shown.sentence} />
            </p>
          )}
        </div>
        {!isLoading && (
          <Badge hue={shown.hue} icon={shown.icon}>
            {shown.word}
          </Badge>
        )}
      </header>
      {!isLoading && <Body linking={linking} link={link} />}
    </section>
  );
}

function Body({ linking, link }: Pick<WhatsAppCardProps, 'linking' | 'link'>) {
  const code = link?.pairingCode ?? null;
  if (linking.status === 'connected') return <Connected linking={linking} link={link} />;
  if (linking.qr !== null || code !== null || linking.status !== 'disconnected') {
    return <LinkingSteps linking={linking} state={link?.state ?? linking.status} code={code} />;
  }
  return <Unlinked linking={linking} link={link} />;
}

function Unlinked({ linking, link }: Pick<WhatsAppCardProps, 'linking' | 'link'>) {
  const [byCode, setByCode] = useState(false);
  const isGone = useIsGone();
  const isKnown = link !== undefined && link.phone !== null && link.state !== 'logged_out';
  return (
    <div className={classes.body}>
      {byCode ? (
        <PairingForm linking={linking} onCancel={() => setByCode(false)} />
      ) : (
        <div className={classes.acts}>
          <Button onClick={() => linking.link()} disabled={isGone} loading={linking.isBusy}>
            {isKnown ? 'Connect' : 'Link Device'}
          </Button>
          {!isKnown && (
            <Button variant="default" onClick={() => setByCode(true)} disabled={isGone}>
              Link with a code
            </Button>
          )}
        </div>
      )}
      <OpensNobody />
    </div>
  );
}
