// What concerns every page stands above it: the daemon does not answer, sending is held, something is frozen.
import { Button } from '@mantine/core';
import { IconClockPause, IconCloudOff, IconSendOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { statusQuery } from '../data/queries.ts';
import { useConnection, useLive } from '../data/use-live.ts';
import { useNow } from '../data/use-now.ts';
import { Note } from '../parts/note.tsx';
import { plural } from '../parts/numbers.ts';
import { moment, span, timeOfDay } from '../parts/times.ts';
import { useHold } from './hold.tsx';
import classes from './shell.module.css';

export function Banners() {
  return (
    <div className={classes.banners}>
      <GoneBanner />
      <HeldBanner />
      <FrozenBanner />
    </div>
  );
}

function GoneBanner() {
  const connection = useConnection();
  const live = useLive();
  const now = useNow();
  if (connection.is !== 'gone') return null;
  const left = connection.retryAt - now;
  return (
    <Note
      hue="bad"
      icon={IconCloudOff}
      role="alert"
      acts={
        <Button variant="default" size="xs" onClick={live.tryNow}>
          Try now
        </Button>
      }
    >
      <b>Relay is not answering since {timeOfDay(connection.since)}.</b> What you see may be old,
      and buttons are off until it is back.{' '}
      <span aria-hidden>{left > 900 ? `Trying again in ${span(left)}.` : 'Trying again.'}</span>
    </Note>
  );
}

function HeldBanner() {
  const { isHeld, waiting, isOff, askFirst } = useHold();
  if (!isHeld) return null;
  return (
    <Note
      hue="parked"
      icon={IconSendOff}
      role="status"
      acts={
        <Button size="xs" onClick={askFirst} disabled={isOff}>
          Let them go
        </Button>
      }
    >
      <b>You hold all sending.</b> Reading goes on.{' '}
      {waiting > 0 &&
        `${plural(waiting, 'message waits', 'messages wait')} and will be checked again before leaving.`}
    </Note>
  );
}

function FrozenBanner() {
  const { data: status } = useQuery(statusQuery);
  const now = useNow(30_000);
  const until = status?.sending.frozen_until ?? null;
  if (until === null || Date.parse(until) <= now) return null;
  return (
    <Note hue="held" icon={IconClockPause} role="status">
      <b>WhatsApp froze some sending until {moment(until, now)}.</b> {status?.sending.sentence}
    </Note>
  );
}
