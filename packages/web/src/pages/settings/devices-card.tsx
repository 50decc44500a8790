// Phones and other devices that use the console from outside: paired by a QR code, signed in by their passkeys.
import { Button, PasswordInput } from '@mantine/core';
import type { PairedDevice } from '@relay/contract/api/remote';
import { IconAlertTriangle, IconQrcode } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { needsOwnerToken, readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { formatMoment, formatSpan } from '../../parts/format.ts';
import { Card, Note, Sentence } from '../../parts/page.tsx';
import { LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import { askToConfirm } from '../../shell/dialog.tsx';
import { remoteQuery } from './queries.ts';
import classes from './settings.module.css';

export function DevicesCard() {
  const remote = useQuery(remoteQuery);
  return (
    <Card title={t('settings.devices.title')}>
      <QueryContent
        query={remote}
        subject={t('settings.devices.title')}
        loading={<LoadingLines lines={3} />}
      >
        {({ origin, devices }) => (
          <>
            <p className="small dim">
              <Sentence
                text={
                  origin === null
                    ? t('settings.devices.off')
                    : t('settings.devices.on', { address: origin })
                }
              />
            </p>
            {devices.length > 0 && (
              <ul className={classes.devices}>
                {devices.map((device) => (
                  <DeviceRow key={device.id} device={device} />
                ))}
              </ul>
            )}
            {origin !== null && <PairingForm devices={devices} />}
          </>
        )}
      </QueryContent>
    </Card>
  );
}

function DeviceRow({ device }: { readonly device: PairedDevice }) {
  const { name, last_used_at, created_at, synced } = device;
  const isGone = useIsDaemonGone();
  const now = useNow(60_000);
  const remove = useAction({
    run: () => relay.delete('/api/remote/devices/{device}', { path: { device: device.id } }),
    invalidates: ['settings'],
  });
  const askFirst = () =>
    askToConfirm({
      title: t('settings.devices.confirm.title', { name }),
      body: t('settings.devices.confirm.text'),
      confirmLabel: t('settings.devices.remove'),
      cancelLabel: t('settings.devices.confirm.cancel'),
      isDestructive: true,
      onConfirm: () => remove.mutate(),
    });
  return (
    <li>
      <div>
        <b dir="auto">{name}</b>
        <small className="dim">
          {t('settings.devices.used', { time: formatMoment(last_used_at ?? created_at, now) })}{' '}
          {synced && t('settings.devices.synced')}
        </small>
      </div>
      <Button
        variant="default"
        size="xs"
        disabled={isGone}
        loading={remove.isPending}
        onClick={askFirst}
        aria-label={t('settings.devices.removeLabel', { name })}
      >
        {t('settings.devices.remove')}
      </Button>
    </li>
  );
}

function PairingForm({ devices }: { readonly devices: readonly PairedDevice[] }) {
  const isGone = useIsDaemonGone();
  const [ownerToken, setOwnerToken] = useState('');
  const pair = useAction({
    run: () =>
      relay.post('/api/remote/pairings', {
        header: ownerToken === '' ? {} : { 'relay-owner-token': ownerToken },
      }),
    invalidates: [],
    showsErrorInPlace: true,
    onSuccess: () => setOwnerToken(''),
  });
  const refusedOwner = needsOwnerToken(pair.error);
  if (pair.data) return <PairingCode pairing={pair.data} devices={devices} close={pair.reset} />;
  return (
    <>
      {refusedOwner && (
        <PasswordInput
          label={t('settings.devices.ownerToken')}
          autoComplete="off"
          value={ownerToken}
          onChange={({ currentTarget }) => setOwnerToken(currentTarget.value)}
          error={<Sentence text={readableError(pair.error)} />}
        />
      )}
      {pair.error && !refusedOwner && (
        <Note hue="bad" icon={IconAlertTriangle} role="alert">
          <Sentence text={readableError(pair.error)} />
        </Note>
      )}
      <div className={classes.acts}>
        <Button
          variant="default"
          disabled={isGone}
          loading={pair.isPending}
          leftSection={<IconQrcode size={16} aria-hidden />}
          onClick={() => pair.mutate()}
        >
          {t('settings.devices.pair')}
        </Button>
      </div>
    </>
  );
}

interface PairingCodeProps {
  readonly pairing: { readonly url: string; readonly qr: string; readonly expires_at: string };
  readonly devices: readonly PairedDevice[];
  close(): void;
}

/** Shown until a device has used it, or it has expired. */
function PairingCode({ pairing: { url, qr, expires_at }, devices, close }: PairingCodeProps) {
  const now = useNow();
  const [known] = useState(() => new Set(devices.map(({ id }) => id)));
  const left = Date.parse(expires_at) - now;
  const isOver = left <= 0 || devices.some(({ id }) => !known.has(id));
  useQuery({ ...remoteQuery, refetchInterval: 2_000 });
  useEffect(() => {
    if (isOver) close();
  }, [isOver, close]);
  return (
    <div className={classes.pairing}>
      <img src={qr} width={256} height={256} alt={t('settings.devices.qr')} />
      <div>
        <p>{t('settings.devices.scan')}</p>
        <p className="small dim">{t('settings.devices.expires', { time: formatSpan(left) })}</p>
        <p className="small">
          <code className={classes.address}>{url}</code>
        </p>
        <Button variant="default" size="xs" onClick={close}>
          {t('settings.devices.close')}
        </Button>
      </div>
    </div>
  );
}
