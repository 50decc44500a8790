// While a phone is being linked: the code to scan or to type, how to, and how far it has come.

import { Button, Loader } from '@mantine/core';
import type { ConnectionState, WhatsAppStatus } from '@relay/core/connection/states';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { linkQuery } from '../../data/queries.ts';
import { useIsGone } from '../../data/use-live.ts';
import { useNow } from '../../data/use-now.ts';
import { span } from '../../parts/times.ts';
import { OpensNobody } from './opens-nobody.tsx';
import { PairingForm } from './pairing.tsx';
import classes from './tools.module.css';
import type { Linking } from './use-linking.ts';

interface LinkingStepsProps {
  readonly linking: Linking;
  readonly state: ConnectionState | WhatsAppStatus;
  readonly code: string | null;
}

export function LinkingSteps({ linking, state, code }: LinkingStepsProps) {
  const [wantsCode, setWantsCode] = useState(false);
  const isGone = useIsGone();
  return (
    <>
      <div className={classes.linking}>
        <div className={classes.code}>
          {code === null ? <Qr qr={linking.qr} /> : <Typed code={code} />}
          {linking.qr !== null && code === null && <Expiry />}
        </div>
        <div>
          <h3>On your phone</h3>
          <HowTo byCode={code !== null} />
          {code === null && !wantsCode && (
            <p className="small dim">
              <button type="button" className="link" onClick={() => setWantsCode(true)}>
                Link with a code instead
              </button>{' '}
              if the camera does not work
            </p>
          )}
          {code === null && wantsCode && (
            <PairingForm linking={linking} onCancel={() => setWantsCode(false)} />
          )}
        </div>
        <div>
          <h3>Where we are</h3>
          <Progress state={state} byCode={code !== null} />
        </div>
      </div>
      <div className={classes.foot}>
        <OpensNobody />
        <Button variant="default" onClick={linking.stop} disabled={isGone} loading={linking.isBusy}>
          Stop linking
        </Button>
      </div>
    </>
  );
}

/** Refreshes are not announced: the code to type is the equal way for whoever cannot see it. */
function Qr({ qr }: { readonly qr: string | null }) {
  return (
    <div className={classes.qr}>
      {qr === null ? (
        <Loader size="sm" aria-label="Waiting for a code" />
      ) : (
        <img src={qr} width={256} height={256} alt="QR code to scan with WhatsApp on your phone" />
      )}
    </div>
  );
}

/** How long this code can still be scanned, where the daemon knows. Nobody hears it tick. */
function Expiry() {
  const { data: link } = useQuery(linkQuery);
  const now = useNow();
  if (link?.qrExpiresAt == null) return null;
  const left = Date.parse(link.qrExpiresAt) - now;
  return (
    <p className={`${classes.expiry} small dim num`} aria-hidden>
      {left > 0 ? `A new code in ${span(left)}` : 'The next code comes'}
    </p>
  );
}

function Typed({ code }: { readonly code: string }) {
  const shown = code.length === 8 ? `${code.slice(0, 4)}-${code.slice(4)}` : code;
  return (
    <div className={classes.typed}>
      <output className={classes.pairing} aria-label={`Code to type: ${[...code].join(' ')}`}>
        {shown}
      </output>
    </div>
  );
}

function HowTo({ byCode }: { readonly byCode: boolean }) {
  return (
    <ol className={classes.how}>
      <Step n={1}>
        Open WhatsApp, then <strong>Settings</strong>
      </Step>
      <Step n={2}>
        Tap <strong>Linked devices</strong>
      </Step>
      <Step n={3}>
        Tap <strong>Link a device</strong>
        {byCode ? ', then Link with phone number, and type the code' : ' and point it here'}
      </Step>
    </ol>
  );
}

function Step({ n, children }: { readonly n: number; readonly children: ReactNode }) {
  return (
    <li>
      <b aria-hidden>{n}</b>
      <span>{children}</span>
    </li>
  );
}

const REACHED: Partial<Record<LinkingStepsProps['state'], number>> = {
  connecting: 0,
  qr_ready: 1,
  pairing_code_ready: 1,
  scanned: 2,
  restarting: 3,
  syncing: 4,
};

function Progress({
  state,
  byCode,
}: {
  readonly state: LinkingStepsProps['state'];
  readonly byCode: boolean;
}) {
  const steps = [
    'Ask WhatsApp for a code',
    byCode ? 'Type the code on your phone' : 'Scan the code with your phone',
    'Phone confirms',
    'Reconnect once, as WhatsApp asks',
    'Copy recent chats',
  ];
  const reached = REACHED[state] ?? 0;
  return (
    <ol className={classes.progress}>
      {steps.map((step, index) => (
        <li
          key={step}
          data-is={index < reached ? 'done' : index === reached ? 'now' : 'later'}
          data-hue={index === 1 ? 'you' : 'agent'}
          aria-current={index === reached ? 'step' : undefined}
        >
          <span className={classes.dot}>
            {index < reached && <IconCheck size={13} stroke={2.4} aria-label="Done" />}
          </span>
          {step}
        </li>
      ))}
    </ol>
  );
}
