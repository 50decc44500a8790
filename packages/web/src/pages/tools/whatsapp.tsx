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
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { loadWhenReachable } from '../../data/lazy-load.ts';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { linkQuery } from '../../data/queries.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { loadMessages, t } from '../../i18n.ts';
import type { ConnectionDisplay } from '../../parts/connection.ts';
import { formatAgo, formatMoment, formatPhoneNumber, formatSpan } from '../../parts/format.ts';
import { Badge, Tile } from '../../parts/marks.tsx';
import { Note, Sentence } from '../../parts/page.tsx';
import parts from '../../parts/parts.module.css';
import { RichText } from '../../parts/rich-text.tsx';
import { LinkPasskeyStep } from './link-passkey.tsx';
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
          <h2 id="whatsapp">{t('tools.whatsapp.title')}</h2>
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
      {!isLoading && <ConnectionFaultNote link={link} />}
      {!isLoading && <WhatsAppCardBody linking={linking} link={link} />}
    </section>
  );
}

/** Why WhatsApp cannot be reached, and what to do about it. */
function ConnectionFaultNote({ link }: Pick<WhatsAppCardProps, 'link'>) {
  if (!link?.fault || link.status === 'connected') return null;
  return (
    <Note hue="bad" icon={IconAlertTriangle} role="status">
      <b>{t(`tools.fault.${link.fault.kind}`)}</b> {t(`tools.fault.${link.fault.kind}.action`)}
    </Note>
  );
}

function WhatsAppCardBody({ linking, link }: Pick<WhatsAppCardProps, 'linking' | 'link'>) {
  const code = link?.pairingCode ?? null;
  if (linking.status === 'connected') return <ConnectedPhone linking={linking} link={link} />;
  if (link?.passkey) {
    return (
      <div className={classes.body}>
        <LinkPasskeyStep key={link.passkey.attempt} passkey={link.passkey} />
        <div className={classes.acts}>
          <StopLinking linking={linking} />
        </div>
      </div>
    );
  }
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
            {t(isKnown ? 'tools.whatsapp.connect' : 'tools.whatsapp.link')}
          </Button>
          {!isKnown && (
            <Button variant="default" onClick={() => setByCode(true)} disabled={isGone}>
              {t('tools.whatsapp.linkWithCode')}
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
  return (
    <>
      <div className={classes.linking}>
        <div className={classes.code}>
          {code === null ? <QrCode qr={linking.qr} /> : <PairingCode code={code} />}
          {linking.qr !== null && code === null && <Expiry />}
        </div>
        <div>
          <h3>{t('tools.linking.phone')}</h3>
          <HowTo byCode={code !== null} />
          {code === null && !wantsCode && (
            <p className="small dim">
              <button type="button" className="link" onClick={() => setWantsCode(true)}>
                {t('tools.whatsapp.linkWithCodeInstead')}
              </button>
            </p>
          )}
          {code === null && wantsCode && (
            <PairingForm linking={linking} onCancel={() => setWantsCode(false)} />
          )}
        </div>
        <div>
          <h3>{t('tools.linking.progress')}</h3>
          <LinkingProgress state={state} byCode={code !== null} />
        </div>
      </div>
      <div className={classes.foot}>
        <LinkingGrantsNothingNote />
        <StopLinking linking={linking} />
      </div>
    </>
  );
}

function StopLinking({ linking }: { readonly linking: WhatsAppLinking }) {
  const isGone = useIsDaemonGone();
  return (
    <Button variant="default" onClick={linking.stop} disabled={isGone} loading={linking.isBusy}>
      {t('tools.linking.stop')}
    </Button>
  );
}

/** A refreshed code is not announced: the typed code is the alternative for people who cannot see it. */
function QrCode({ qr }: { readonly qr: string | null }) {
  return (
    <div className={classes.qr}>
      {qr === null ? (
        <Loader size="sm" aria-label={t('tools.linking.waiting')} />
      ) : (
        <img src={qr} width={256} height={256} alt={t('tools.linking.qr')} />
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
      {left > 0
        ? t('tools.linking.newCodeIn', { time: formatSpan(left) })
        : t('tools.linking.newCodeNow')}
    </p>
  );
}

function PairingCode({ code }: { readonly code: string }) {
  const shown = code.length === 8 ? `${code.slice(0, 4)}-${code.slice(4)}` : code;
  return (
    <div className={classes.typed}>
      <output
        className={classes.pairing}
        dir="ltr"
        aria-label={t('tools.linking.code', { code: [...code].join(' ') })}
      >
        {shown}
      </output>
    </div>
  );
}

function HowTo({ byCode }: { readonly byCode: boolean }) {
  const last = byCode ? 'tools.linking.phone.type' : 'tools.linking.phone.scan';
  const steps = ['tools.linking.phone.settings', 'tools.linking.phone.devices', last] as const;
  return (
    <ol className={classes.how}>
      {steps.map((step, index) => (
        <li key={step}>
          <b aria-hidden>{index + 1}</b>
          <span>
            <RichText id={step} components={{ strong: <strong /> }} />
          </span>
        </li>
      ))}
    </ol>
  );
}

const STEP_REACHED: Partial<Record<LinkingStepsProps['state'], number>> = {
  connecting: 0,
  qr_ready: 1,
  pairing_code_ready: 1,
  scanned: 2,
  passkey_sent: 2,
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
    'tools.linking.step.request',
    byCode ? 'tools.linking.step.type' : 'tools.linking.step.scan',
    'tools.linking.step.confirm',
    'tools.linking.step.reconnect',
    'tools.linking.step.copy',
  ] as const;
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
            {index < reached && (
              <IconCheck size={13} stroke={2.4} aria-label={t('tools.linking.step.done')} />
            )}
          </span>
          {t(step)}
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
        phone.replace(/\D/g, '').length < 7 ? t('tools.pairing.phoneInvalid') : null,
    },
  });
  return (
    <form
      className={classes.pairingForm}
      onSubmit={form.onSubmit(({ phone }) => linking.link(phone))}
    >
      <TextInput
        label={t('tools.pairing.phone')}
        description={t('tools.pairing.phoneHelp')}
        type="tel"
        autoComplete="tel"
        key={form.key('phone')}
        {...form.getInputProps('phone')}
      />
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone} loading={linking.isBusy}>
          {t('tools.pairing.submit')}
        </Button>
        <Button variant="subtle" color="gray" onClick={onCancel}>
          {t('common.action.cancel')}
        </Button>
      </div>
    </form>
  );
}

// A linked phone: its number, connection quality, permissions, and the button to disconnect.

/** It belongs to the people page, whose texts it needs. */
const PermissionsModal = lazy(async () => {
  const [{ PermissionsModal: modal }] = await loadWhenReachable(() =>
    Promise.all([import('../people/permissions-modal.tsx'), loadMessages('people')]),
  );
  return { default: modal };
});

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
            {t('tools.connected.permissions')}
          </Button>
          <ProbeButton probe={probe} />
          <Button variant="subtle" color="gray" onClick={asking.open} disabled={isGone}>
            {t('tools.connected.disconnect')}
          </Button>
        </div>
      )}
      <Suspense>{isManaging && <PermissionsModal onClose={managing.close} />}</Suspense>
    </div>
  );
}

function ConnectedPhoneFacts({ linking: { phone }, link }: ConnectedPhoneProps) {
  const now = useNow();
  const lastActivity = link?.health.lastStanzaAt ?? null;
  const digits = phone ?? link?.phone ?? null;
  return (
    <dl className={classes.facts}>
      <div>
        <dt>{t('tools.connected.number')}</dt>
        <dd className="num">
          {digits === null ? (
            t('tools.connected.numberUnknown')
          ) : (
            <bdi dir="ltr">{formatPhoneNumber(digits)}</bdi>
          )}
        </dd>
      </div>
      {link?.name && (
        <div>
          <dt>{t('tools.connected.name')}</dt>
          <dd dir="auto">{link.name}</dd>
        </div>
      )}
      <div>
        <dt>{t('tools.connected.since')}</dt>
        <dd className="num">{link === undefined ? '…' : formatMoment(link.since, now)}</dd>
      </div>
      <div>
        <dt>{t('tools.connected.lastActivity')}</dt>
        <dd className="num">
          {lastActivity === null ? t('tools.connected.noActivity') : formatAgo(lastActivity, now)}
        </dd>
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
      <h3 id="disconnect">{t('tools.disconnect.title')}</h3>
      <p id="disconnect-why" className="small dim">
        {t('tools.disconnect.text')}
      </p>
      <Checkbox
        checked={clears}
        onChange={(event) => setClears(event.currentTarget.checked)}
        label={t('tools.disconnect.clear')}
        description={t('tools.disconnect.clearHelp')}
        my={14}
      />
      <div className={classes.acts}>
        <Button color="red" onClick={() => onConfirm(clears)} disabled={isGone} loading={isBusy}>
          {t('tools.connected.disconnect')}
        </Button>
        <Button ref={stay} variant="default" onClick={onCancel}>
          {t('tools.disconnect.cancel')}
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
      {t('tools.probe.send')}
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
      <Sentence text={data.sentence} />{' '}
      <span className="dim num">
        {t('tools.probe.duration', { seconds: Math.round(data.seconds * 10) / 10 })}
      </span>
    </Note>
  );
}

// What linking does not do.

function LinkingGrantsNothingNote() {
  return (
    <Note hue="parked" icon={IconLock}>
      <RichText id="tools.whatsapp.noAccess" components={{ link: <Link to="/people" /> }} />
    </Note>
  );
}
