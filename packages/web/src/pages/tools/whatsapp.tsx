// The WhatsApp card: the state of the connection and the actions it allows.
import { Button, Checkbox, Loader, Skeleton, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import type { LinkBody } from '@relay/contract/api/whatsapp';
import type { ConnectionState, WhatsAppStatus } from '@relay/contract/connection/states';
import {
  IconAlertTriangle,
  IconBrandWhatsapp,
  IconCheck,
  IconCircleCheck,
  IconClockPause,
  IconLock,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { loadWhenReachable } from '../../data/lazy-load.ts';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { linkQuery } from '../../data/queries.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import type { ConnectionDisplay } from '../../parts/connection.ts';
import { formatAgo, formatMoment, formatPhoneNumber, formatSpan } from '../../parts/format.ts';
import { Badge, Tile } from '../../parts/marks.tsx';
import { Note, Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import classes from './tools.module.css';
import type { WhatsAppLinking } from './use-linking.ts';

interface WhatsAppCardProps {
  readonly linking: WhatsAppLinking;
  readonly link: LinkBody | undefined;
  readonly shown: ConnectionDisplay;
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
      {!isLoading && <WhatsAppCardBody linking={linking} link={link} />}
    </section>
  );
}

function WhatsAppCardBody({ linking, link }: Pick<WhatsAppCardProps, 'linking' | 'link'>) {
  const code = link?.pairingCode ?? null;
  if (linking.status === 'connected') return <ConnectedPhone linking={linking} link={link} />;
  if (linking.qr !== null || code !== null || linking.status !== 'disconnected') {
    return <LinkingSteps linking={linking} state={link?.state ?? linking.status} code={code} />;
  }
  return <UnlinkedPhone linking={linking} link={link} />;
}

function UnlinkedPhone({ linking, link }: Pick<WhatsAppCardProps, 'linking' | 'link'>) {
  const [byCode, setByCode] = useState(false);
  const isGone = useIsDaemonGone();
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
      <LinkingGrantsNothingNote />
    </div>
  );
}

// During linking: the code to scan or type, instructions, and progress.

interface LinkingStepsProps {
  readonly linking: WhatsAppLinking;
  readonly state: ConnectionState | WhatsAppStatus;
  readonly code: string | null;
}

function LinkingSteps({ linking, state, code }: LinkingStepsProps) {
  const [wantsCode, setWantsCode] = useState(false);
  const isGone = useIsDaemonGone();
  return (
    <>
      <div className={classes.linking}>
        <div className={classes.code}>
          {code === null ? <QrCode qr={linking.qr} /> : <PairingCode code={code} />}
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
          <LinkingProgress state={state} byCode={code !== null} />
        </div>
      </div>
      <div className={classes.foot}>
        <LinkingGrantsNothingNote />
        <Button variant="default" onClick={linking.stop} disabled={isGone} loading={linking.isBusy}>
          Stop linking
        </Button>
      </div>
    </>
  );
}

/** A refreshed code is not announced: the typed code is the alternative for people who cannot see it. */
function QrCode({ qr }: { readonly qr: string | null }) {
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

/** How long this code can still be scanned, if the daemon knows. Not announced to screen readers. */
function Expiry() {
  const { data: link } = useQuery(linkQuery);
  const now = useNow();
  if (link?.qrExpiresAt == null) return null;
  const left = Date.parse(link.qrExpiresAt) - now;
  return (
    <p className={`${classes.expiry} small dim num`} aria-hidden>
      {left > 0 ? `A new code in ${formatSpan(left)}` : 'The next code comes'}
    </p>
  );
}

function PairingCode({ code }: { readonly code: string }) {
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
      <HowToStep n={1}>
        Open WhatsApp, then <strong>Settings</strong>
      </HowToStep>
      <HowToStep n={2}>
        Tap <strong>Linked devices</strong>
      </HowToStep>
      <HowToStep n={3}>
        Tap <strong>Link a device</strong>
        {byCode ? ', then Link with phone number, and type the code' : ' and point it here'}
      </HowToStep>
    </ol>
  );
}

function HowToStep({ n, children }: { readonly n: number; readonly children: ReactNode }) {
  return (
    <li>
      <b aria-hidden>{n}</b>
      <span>{children}</span>
    </li>
  );
}

const STEP_REACHED: Partial<Record<LinkingStepsProps['state'], number>> = {
  connecting: 0,
  qr_ready: 1,
  pairing_code_ready: 1,
  scanned: 2,
  restarting: 3,
  syncing: 4,
};

function LinkingProgress({
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
  const reached = STEP_REACHED[state] ?? 0;
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

// Linking by phone number: WhatsApp gives a code to type.

interface PairingFormProps {
  readonly linking: WhatsAppLinking;
  onCancel(): void;
}

function PairingForm({ linking, onCancel }: PairingFormProps) {
  const isGone = useIsDaemonGone();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { phone: '' },
    validate: {
      phone: (phone) =>
        phone.replace(/\D/g, '').length < 7 ? 'Give the number with its country code.' : null,
    },
  });
  return (
    <form
      className={classes.pairingForm}
      onSubmit={form.onSubmit(({ phone }) => linking.link(phone))}
    >
      <TextInput
        label="Number of the phone"
        description="With its country code, as in +49 170 1234567"
        type="tel"
        autoComplete="tel"
        key={form.key('phone')}
        {...form.getInputProps('phone')}
      />
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone} loading={linking.isBusy}>
          Get a code
        </Button>
        <Button variant="subtle" color="gray" onClick={onCancel}>
          Not now
        </Button>
      </div>
    </form>
  );
}

// A linked phone: its number, connection quality, permissions, and the button to disconnect.

const loadPermissionsModal = () =>
  loadWhenReachable(() => import('../people/permissions-modal.tsx'));
const PermissionsModal = lazy(async () => ({
  default: (await loadPermissionsModal()).PermissionsModal,
}));

interface ConnectedPhoneProps {
  readonly linking: WhatsAppLinking;
  readonly link: LinkBody | undefined;
}

function ConnectedPhone({ linking, link }: ConnectedPhoneProps) {
  const [isManaging, managing] = useDisclosure();
  const [isAsking, asking] = useDisclosure();
  const isGone = useIsDaemonGone();
  const probe = useProbe();
  return (
    <div className={classes.body}>
      <ConnectedPhoneFacts linking={linking} link={link} />
      <ProbeResult probe={probe} />
      {isAsking ? (
        <DisconnectDialog
          isBusy={linking.isBusy}
          onConfirm={linking.disconnect}
          onCancel={asking.close}
        />
      ) : (
        <div className={classes.acts}>
          <Button variant="default" onClick={managing.open}>
            Manage Permissions
          </Button>
          <ProbeButton probe={probe} />
          <Button variant="subtle" color="gray" onClick={asking.open} disabled={isGone}>
            Disconnect
          </Button>
        </div>
      )}
      <Suspense>{isManaging && <PermissionsModal onClose={managing.close} />}</Suspense>
    </div>
  );
}

function ConnectedPhoneFacts({ linking: { phone }, link }: ConnectedPhoneProps) {
  const now = useNow();
  const heard = link?.health.lastStanzaAt ?? null;
  const digits = phone ?? link?.phone ?? null;
  return (
    <dl className={classes.facts}>
      <div>
        <dt>Number</dt>
        <dd className="num">{digits === null ? 'not told yet' : formatPhoneNumber(digits)}</dd>
      </div>
      {link?.name && (
        <div>
          <dt>Name</dt>
          <dd dir="auto">{link.name}</dd>
        </div>
      )}
      <div>
        <dt>Connected since</dt>
        <dd className="num">{link === undefined ? '…' : formatMoment(link.since, now)}</dd>
      </div>
      <div>
        <dt>Last heard</dt>
        <dd className="num">{heard === null ? 'not yet' : formatAgo(heard, now)}</dd>
      </div>
    </dl>
  );
}

// The confirmation before disconnecting: what happens, and whether the saved session is deleted.

interface DisconnectDialogProps {
  readonly isBusy: boolean;
  onConfirm(clearSession: boolean): void;
  onCancel(): void;
}

function DisconnectDialog({ isBusy, onConfirm, onCancel }: DisconnectDialogProps) {
  const [clears, setClears] = useState(false);
  const isGone = useIsDaemonGone();
  const stay = useRef<HTMLButtonElement>(null);
  useEffect(() => stay.current?.focus(), []);
  return (
    <div
      className={classes.ask}
      role="alertdialog"
      aria-labelledby="disconnect"
      aria-describedby="disconnect-why"
      onKeyDown={(event) => event.key === 'Escape' && onCancel()}
    >
      <h3 id="disconnect">Disconnect WhatsApp?</h3>
      <p id="disconnect-why" className="small dim">
        Conversations wait until you connect again. Messages that arrive meanwhile are fetched
        later.
      </p>
      <Checkbox
        checked={clears}
        onChange={(event) => setClears(event.currentTarget.checked)}
        label="Also clear the saved session"
        description="Unlinks this device. You will need to scan a new code. History and grants stay."
        my={14}
      />
      <div className={classes.acts}>
        <Button color="red" onClick={() => onConfirm(clears)} disabled={isGone} loading={isBusy}>
          Disconnect
        </Button>
        <Button ref={stay} variant="default" onClick={onCancel}>
          Stay connected
        </Button>
      </div>
    </div>
  );
}

// A test message to the owner: it passes the gate like any other, and its result and duration are shown in place.

function useProbe() {
  return useAction({
    async run() {
      const began = performance.now();
      const answer = await relay.post('/api/whatsapp/probe');
      return { ...answer, seconds: (performance.now() - began) / 1_000 };
    },
    invalidates: ['messages', 'status', 'ledger'],
    showsErrorInPlace: true,
  });
}

interface ProbeProps {
  readonly probe: ReturnType<typeof useProbe>;
}

function ProbeButton({ probe }: ProbeProps) {
  const isGone = useIsDaemonGone();
  return (
    <Button
      variant="default"
      disabled={isGone}
      loading={probe.isPending}
      onClick={() => probe.mutate()}
    >
      Message yourself
    </Button>
  );
}

function ProbeResult({ probe: { data, error } }: ProbeProps) {
  if (error) {
    return (
      <Note hue="bad" icon={IconAlertTriangle} role="alert">
        <Sentence text={readableError(error)} />
      </Note>
    );
  }
  if (data === undefined) return null;
  return (
    <Note
      hue={data.arrived ? 'ok' : 'held'}
      icon={data.arrived ? IconCircleCheck : IconClockPause}
      role="status"
    >
      <Sentence text={data.sentence} /> <span className="dim num">{data.seconds.toFixed(1)} s</span>
    </Note>
  );
}

// What linking does not do.

function LinkingGrantsNothingNote() {
  return (
    <Note hue="parked" icon={IconLock}>
      Linking opens nobody. Everyone stays closed until you allow them under{' '}
      <Link to="/people">People & grants</Link>.
    </Note>
  );
}
