// Says on every page of a demo that it is one, and leads to the phone on which one is everybody else. The daemon knows
// both: the one by the network that it is on, the other by whoever started it.
import { useQuery } from '@tanstack/react-query';
import type { MouseEvent } from 'react';
import { statusQuery } from '../data/queries.ts';
import classes from './shell.module.css';

export function DemoStrip() {
  const { data: status } = useQuery(statusQuery);
  if (status?.demo !== true) return null;
  return (
    <p className={classes.demo}>
      <b>Demo:</b> no phone, no model key, nothing is real.{' '}
      {status.phone_page !== null && (
        <a href={status.phone_page} target="relay-phone" rel="noopener" onClick={beside}>
          Open the phone beside it
        </a>
      )}
    </p>
  );
}

/** In a window as narrow as a phone; where a browser opens none, the link does what links do. */
function beside(event: MouseEvent<HTMLAnchorElement>): void {
  const plain = !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  if (!plain || !matchMedia('(min-width: 860px)').matches) return;
  const { href } = event.currentTarget;
  if (window.open(href, 'relay-phone', 'popup,width=430,height=860') !== null)
    event.preventDefault();
}
