// Where the owner is notified besides their own chat: this browser, other devices, ntfy and a webhook.
import { ActionIcon, Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { NotificationsOverview } from '@relay/contract/api/notifications';
import { IconAlertTriangle, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { pushSupport, turnOnPush } from '../../data/push-device.ts';
import { notificationsQuery } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { formatAgo } from '../../parts/format.ts';
import { Note, Sentence } from '../../parts/page.tsx';
import { LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import classes from './settings.module.css';

export function NotificationPlaces() {
  const overview = useQuery(notificationsQuery);
  return (
    <div className={classes.below}>
      <QueryContent
        query={overview}
        subject={t('settings.section.notifications.title')}
        loading={<LoadingLines lines={2} />}
      >
        {(shown) => <Places shown={shown} />}
      </QueryContent>
    </div>
  );
}

function Places({ shown }: { readonly shown: NotificationsOverview }) {
  const isGone = useIsDaemonGone();
  const now = useNow(60_000);
  const support = pushSupport();
  const turnOn = useAction({
    run: () => turnOnPush(shown.public_key),
    invalidates: ['notifications'],
    onSuccess: (isOn) => {
      if (!isOn) notifications.show({ message: t('settings.notifications.blocked'), color: 'red' });
    },
  });
  const remove = useAction({
    run: (device: string) =>
      relay.delete('/api/notifications/devices/{device}', { path: { device } }),
    invalidates: ['notifications'],
  });
  const test = useAction({
    run: () => relay.post('/api/notifications/test', { body: {} }),
    invalidates: ['notifications'],
    onSuccess: ({ results }) => {
      for (const { channel, device, ok, sentence } of results) {
        const name = device ?? channel;
        const message = ok
          ? t('settings.notifications.sent', { name })
          : t('settings.notifications.failed', { name, reason: sentence ?? '' });
        notifications.show({ message, ...(ok ? {} : { color: 'red' }) });
      }
    },
  });
  const isOn = shown.devices.some(({ current }) => current);
  const others = (['ntfy', 'webhook'] as const).filter((channel) => shown[channel].url !== null);
  return (
    <>
      {support !== 'possible' && !isOn && (
        <Note hue="held" icon={IconAlertTriangle}>
          <Sentence text={t(`settings.notifications.${support}`)} />
        </Note>
      )}
      {shown.devices.length > 0 && (
        <ul className={classes.devices} aria-label={t('settings.notifications.devices')}>
          {shown.devices.map(({ id, name, current, last_delivered_at: last, failing_since }) => (
            <li key={id}>
              <div>
                <span dir="auto">{name}</span>{' '}
                {current && (
                  <span className="small dim">{t('settings.notifications.current')}</span>
                )}
                <p className="small dim">
                  {failing_since !== null
                    ? t('settings.notifications.failing', { time: formatAgo(failing_since, now) })
                    : last === null
                      ? t('settings.notifications.nothingYet')
                      : t('settings.notifications.last', { time: formatAgo(last, now) })}
                </p>
              </div>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t('settings.notifications.remove', { name })}
                disabled={isGone}
                onClick={() => remove.mutate(id)}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
      {others.map((channel) => (
        <p key={channel} className="small dim" dir="auto">
          {t(`settings.notifications.${channel}`, { url: shown[channel].url ?? '' })}
        </p>
      ))}
      <div className={classes.acts}>
        {support === 'possible' && !isOn && (
          <Button disabled={isGone} loading={turnOn.isPending} onClick={() => turnOn.mutate()}>
            {t('settings.notifications.turnOn')}
          </Button>
        )}
        {shown.devices.length + others.length > 0 && (
          <Button
            variant="default"
            disabled={isGone}
            loading={test.isPending}
            onClick={() => test.mutate()}
          >
            {t('settings.notifications.test')}
          </Button>
        )}
      </div>
      <p className="small dim">
        <Sentence text={t('settings.notifications.more')} />
      </p>
    </>
  );
}
