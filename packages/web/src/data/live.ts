// The one stream of all tabs. It says whether the daemon is there, and asks again for whatever an event touched.
// Invariant: after any gap, a restart among them, everything shown is asked for anew.
import { streamEvents } from '@relay/core/client/event-stream';
import type { LiveEvent } from '@relay/core/client/events';
import type { OpenStream } from '@relay/core/client/wire';
import type { Refresher } from './refresher.ts';
import { isSignedOut } from './relay.ts';
import { alone, type Share, type Told } from './share.ts';
import { touchedBy } from './touched.ts';

export type Connection =
  | { readonly is: 'opening' }
  | { readonly is: 'live' }
  | { readonly is: 'gone'; readonly since: number; readonly retryAt: number }
  | { readonly is: 'signed_out' };

export interface Live {
  get(): Connection;
  subscribe(listener: () => void): () => void;
  /** Each event as it comes, for what wants more than to be asked for again. */
  listen(listener: (event: LiveEvent) => void): () => void;
  start(): void;
  stop(): void;
  /** Instead of waiting for the next attempt. */
  tryNow(): void;
  /** A request was refused for want of a session. */
  signedOut(): void;
}

const AGAIN_MS = 15_000;

export function createLive(
  relay: { readonly open: OpenStream },
  refresher: Refresher,
  share: Share = alone,
): Live {
  const listeners = new Set<() => void>();
  const ears = new Set<(event: LiveEvent) => void>();
  let connection: Connection = { is: 'opening' };
  let cursor: string | undefined;
  let ending = new AbortController();
  ending.abort();
  /** Which run of this tab reads the stream; the others wait for the lead. */
  let reading: AbortSignal | null = null;
  const isLeading = () => reading === ending.signal;

  const become = (next: Connection) => {
    connection = next;
    for (const listener of listeners) listener();
  };
  const lost = (pauseMs: number) => {
    const since = connection.is === 'gone' ? connection.since : Date.now();
    const gone = { is: 'gone', since, retryAt: Date.now() + pauseMs } as const;
    become(gone);
    share.tell({ ...gone, is: 'lost' });
  };
  const take = (event: LiveEvent) => {
    cursor = event.cursor;
    if (event.type === 'event') refresher.touch(touchedBy(event));
    else {
      refresher.everything();
      become({ is: 'live' });
    }
    for (const ear of ears) ear(event);
  };
  const leave = () => {
    if (connection.is === 'signed_out') return;
    ending.abort();
    become({ is: 'signed_out' });
  };

  const read = async (signal: AbortSignal) => {
    const from = cursor === undefined ? {} : { lastEventId: cursor };
    const onLost = (_error: Error, pauseMs: number) => lost(pauseMs);
    try {
      for await (const event of streamEvents(relay, { ...from, signal, onLost })) {
        take(event);
        share.tell({ is: 'event', event });
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isSignedOut(error)) {
        share.tell({ is: 'signed_out' });
        return leave();
      }
      lost(AGAIN_MS);
      setTimeout(() => signal.aborted || restart(), AGAIN_MS);
    }
  };
  const restart = () => {
    ending.abort();
    ending = new AbortController();
    const { signal } = ending;
    share.tell({ is: 'hello' });
    void share.lead(signal, async () => {
      reading = signal;
      await read(signal);
      if (reading === signal) reading = null;
    });
  };

  /** Of another tab. */
  const heard: { readonly [Is in Told['is']]: (told: Extract<Told, { is: Is }>) => void } = {
    event: ({ event }) => take(event),
    lost: ({ since, retryAt }) => become({ is: 'gone', since, retryAt }),
    signed_out: leave,
    hello() {
      if (!isLeading() || cursor === undefined) return;
      if (connection.is === 'live') share.tell({ is: 'here', cursor });
      if (connection.is === 'gone') share.tell({ ...connection, is: 'lost' });
    },
    here({ cursor: theirs }) {
      if (connection.is !== 'live') take({ type: 'ready', cursor: theirs });
    },
    try: () => void (isLeading() && connection.is === 'gone' && restart()),
  };
  share.hear((told) => {
    if (!ending.signal.aborted) (heard[told.is] as (told: Told) => void)(told);
  });

  return {
    get: () => connection,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    listen(ear) {
      ears.add(ear);
      return () => ears.delete(ear);
    },
    start() {
      if (connection.is === 'signed_out') become({ is: 'opening' });
      restart();
    },
    stop: () => ending.abort(),
    tryNow() {
      share.tell({ is: 'try' });
      restart();
    },
    signedOut: leave,
  };
}
