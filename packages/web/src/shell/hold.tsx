// The hold button, on every page. Holding asks first, because replies stop too; resuming asks as well, because queued
// messages are then sent.
import { Button } from '@mantine/core';
import { IconSend, IconSendOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useIsDaemonGone } from '../data/live-stream.ts';
import { statusQuery } from '../data/queries.ts';
import { relay } from '../data/relay.ts';
import { useAction } from '../data/use-action.ts';
import { t } from '../i18n.ts';
import { askToConfirm } from './dialog.tsx';
import classes from './shell.module.css';

export function useHold() {
  const { data: status } = useQuery(statusQuery);
  const isGone = useIsDaemonGone();
  const hold = useAction({
    run: () => relay.post('/api/hold', { body: {} }),
    invalidates: ['status'],
    successMessage: t('common.hold.start.done'),
  });
  const release = useAction({
    run: () => relay.post('/api/release'),
    invalidates: ['status'],
    successMessage: t('common.hold.end.done'),
  });
  const isHeld = status?.hold ?? false;
  const waiting = status?.sending.waiting ?? 0;
  const askFirst = () =>
    askToConfirm({
      title: t(isHeld ? 'common.hold.end.question' : 'common.hold.start.question'),
      body: isHeld
        ? t('common.hold.end.effect', { count: waiting })
        : t('common.hold.start.effect'),
      confirmLabel: t(isHeld ? 'common.hold.end' : 'common.hold.start'),
      cancelLabel: t('common.action.cancel'),
      onConfirm: () => (isHeld ? release : hold).mutate(),
    });
  const isOff = isGone || status === undefined;
  return { isHeld, waiting, isOff, askFirst };
}

export function HoldButton() {
  const { isHeld, isOff, askFirst } = useHold();
  const Icon = isHeld ? IconSend : IconSendOff;
  const label = t(isHeld ? 'common.hold.end' : 'common.hold.start');
  return (
    <Button
      variant={isHeld ? 'filled' : 'default'}
      onClick={askFirst}
      disabled={isOff}
      aria-label={label}
      title={t(isHeld ? 'common.hold.end.hint' : 'common.hold.start.hint')}
    >
      <Icon size={16} stroke={1.7} aria-hidden />
      <span className={classes.holdWord}>{label}</span>
    </Button>
  );
}
