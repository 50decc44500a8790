// A machine that slept, a network that came back, a tab that is looked at again: the next attempt does not wait for its
// turn then.
import type { Live } from './live.ts';

const LOOK_MS = 5_000;
/** Timers of a tab in the background may be a minute late; of a machine that slept, later than that. */
const SLEPT_MS = 90_000;

export function resumeSoon(live: Live): void {
  const ifGone = () => {
    if (!document.hidden && live.get().is === 'gone') live.tryNow();
  };
  const anew = () => live.get().is !== 'signed_out' && live.tryNow();
  document.addEventListener('visibilitychange', ifGone);
  addEventListener('focus', ifGone);
  addEventListener('pageshow', ({ persisted }) => persisted && anew());
  addEventListener('online', anew);
  let last = Date.now();
  setInterval(() => {
    const now = Date.now();
    if (now - last > SLEPT_MS) anew();
    last = now;
    // The tab that reads for all may be in the background, where a browser lets it wait longer than it meant to.
    const connection = live.get();
    if (connection.is === 'gone' && connection.retryAt < now - LOOK_MS) ifGone();
  }, LOOK_MS);
}

/** Nobody looks at a tab in the background: what it shows is asked for when somebody does. */
export function untilSeen(): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
  });
}
