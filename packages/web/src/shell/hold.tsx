// The hold button, on every page. Holding asks first, because replies stop too; releasing asks as well, because queued
// messages are then sent.
import { Button } from '@mantine/core';
import { IconSend, IconSendOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useIsDaemonGone } from '../data/live-stream.ts';
import { statusQuery } from '../data/queries.ts';
import { relay } from '../data/relay.ts';
import { useAction } from '../data/use-action.ts';
import { plural } from '../parts/format.ts';
import { askToConfirm } from './dialog.tsx';
import classes from './shell.module.css';

export function useHold() {
  const { data: status } = useQuery(statusQuery);
  const isGone = useIsDaemonGone();
  const hold = useAction({
    run: () => relay.post('/api/hold', { body: {} }),
    invalidates: ['status'],
    successMessage: 'All sending is held. Reading goes on.',
  });
  const release = useAction({
    run: () => relay.post('/api/release'),
    invalidates: ['status'],
    successMessage: 'Messages leave again.',
  });
  const isHeld = status?.hold ?? false;
  const waiting = status?.sending.waiting ?? 0;
  const askFirst = () =>
    askToConfirm({
      title: isHeld ? 'Let messages leave again?' : 'Hold all sending?',
      body: isHeld ? releaseWords(waiting) : HOLD_WORDS,
      confirmLabel: isHeld ? 'Let them go' : 'Hold all sending',
      cancelLabel: 'Leave it',
      onConfirm: () => (isHeld ? release : hold).mutate(),
    });
  const isOff = isGone || status === undefined || hold.isPending || release.isPending;
  return { isHeld, waiting, isOff, askFirst };
}

const HOLD_WORDS =
  'Nothing leaves this account until you let it go: no reply, no follow-up, no schedule. Reading goes on.';

const releaseWords = (waiting: number): string =>
  waiting === 0
    ? 'Nothing waits right now. Agents may write again.'
    : `${plural(waiting, 'message waits', 'messages wait')}. Each is checked again before it leaves.`;

export function HoldButton() {
  const { isHeld, isOff, askFirst } = useHold();
  const Icon = isHeld ? IconSend : IconSendOff;
  return (
    <Button
      variant={isHeld ? 'filled' : 'default'}
      onClick={askFirst}
      disabled={isOff}
      aria-pressed={isHeld}
      aria-label={isHeld ? 'Sending is held. Let messages leave' : 'Hold all sending'}
      title={isHeld ? 'You hold all sending.' : 'Nothing leaves while held. Reading goes on.'}
    >
      <Icon size={16} stroke={1.7} aria-hidden />
      <span className={classes.holdWord}>{isHeld ? 'Let messages leave' : 'Hold all sending'}</span>
    </Button>
  );
}
