// The one stream of all tabs. It says whether the daemon is there, and asks again for whatever an event touched.
// Invariant: after any gap, a restart among them, everything shown is asked for anew.
import { streamEvents } from '@relay/contract/client/event-stream';
import type { LiveEvent } from '@relay/contract/client/sse';
import type { OpenStream } from '@relay/contract/client/transport';
import { createContext, use, useSyncExternalStore } from 'react';
import { nounsTouchedBy, type Refresher } from './refresher.ts';
import { isSignedOut } from './relay.ts';

type DaemonConnection =
  | { readonly is: 'opening' }
  | { readonly is: 'live' }
  | { readonly is: 'gone'; readonly since: number; readonly retryAt: number }
  | { readonly is: 'signed_out' };

interface LiveStream {
  get(): DaemonConnection;
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

const RETRY_AFTER_MS = 15_000;

export function createLiveStream(
  relay: { readonly open: OpenStream },
  refresher: Refresher,
  share: TabChannel = singleTabChannel,
): LiveStream {
  const listeners = new Set<() => void>();
  const ears = new Set<(event: LiveEvent) => void>();
  let connection: DaemonConnection = { is: 'opening' };
  let cursor: string | undefined;
  let ending = new AbortController();
  ending.abort();
  /** Which run of this tab reads the stream; the others wait for the lead. */
  let reading: AbortSignal | null = null;
  const isLeading = () => reading === ending.signal;

  const become = (next: DaemonConnection) => {
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
    if (event.type === 'event') refresher.touch(nounsTouchedBy(event));
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
      lost(RETRY_AFTER_MS);
      setTimeout(() => signal.aborted || restart(), RETRY_AFTER_MS);
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
  const heard: {
    readonly [Is in TabMessage['is']]: (told: Extract<TabMessage, { is: Is }>) => void;
  } = {
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
    if (!ending.signal.aborted) (heard[told.is] as (told: TabMessage) => void)(told);
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

// One stream for all tabs of a browser: it lends a host six connections at a time, and a tab that keeps one of them
// open would make the seventh hang. One tab leads and reads, the others hear what it heard; when it closes, the next
// in line goes on. Where a browser cannot do that, each tab reads for itself.

/** What tabs say to one another. */
export type TabMessage =
  | { readonly is: 'event'; readonly event: LiveEvent }
  | { readonly is: 'lost'; readonly since: number; readonly retryAt: number }
  | { readonly is: 'signed_out' }
  /** Somebody is new, and wants to know how it stands. */
  | { readonly is: 'hello' }
  /** The leader's answer: the stream is there, up to this event. */
  | { readonly is: 'here'; readonly cursor: string }
  /** Somebody does not want to wait for the next attempt. */
  | { readonly is: 'try' };

export interface TabChannel {
  /** Waits for the lead, and keeps it until `read` has ended. Never rejects for being aborted. */
  lead(signal: AbortSignal, read: () => Promise<void>): Promise<void>;
  tell(told: TabMessage): void;
  hear(listener: (told: TabMessage) => void): () => void;
}

/** For one who has nobody to share with. */
const singleTabChannel: TabChannel = {
  lead: (_signal, read) => read(),
  tell: () => {},
  hear: () => () => {},
};

const TAB_CHANNEL_NAME = 'relay.stream';

export function openTabChannel(): TabChannel {
  if (navigator.locks === undefined || typeof BroadcastChannel !== 'function')
    return singleTabChannel;
  const channel = new BroadcastChannel(TAB_CHANNEL_NAME);
  return {
    async lead(signal, read) {
      try {
        await navigator.locks.request(TAB_CHANNEL_NAME, { signal }, read);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    tell: (told) => channel.postMessage(told),
    hear(listener) {
      const onMessage = ({ data }: MessageEvent<TabMessage>) => listener(data);
      channel.addEventListener('message', onMessage);
      return () => channel.removeEventListener('message', onMessage);
    },
  };
}

// A machine that slept, a network that came back, a tab that is looked at again: the next attempt does not wait for its
// turn then.

const WAKE_CHECK_MS = 5_000;
/** Timers of a tab in the background may be a minute late; of a machine that slept, later than that. */
const SLEPT_MS = 90_000;

export function reconnectOnWake(live: LiveStream): void {
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
    if (connection.is === 'gone' && connection.retryAt < now - WAKE_CHECK_MS) ifGone();
  }, WAKE_CHECK_MS);
}

/** Nobody looks at a tab in the background: what it shows is asked for when somebody does. */
export function untilTabVisible(): Promise<void> {
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

// The stream, as components see it.

export const LiveStreamContext = createContext<LiveStream | null>(null);

export function useLiveStream(): LiveStream {
  const live = use(LiveStreamContext);
  if (live === null) throw new Error('There is no stream outside of the console.');
  return live;
}

export function useDaemonConnection(): DaemonConnection {
  const live = useLiveStream();
  return useSyncExternalStore(live.subscribe, live.get);
}

/** While the daemon is away nothing can be done, so buttons are off. */
export const useIsDaemonGone = (): boolean => useDaemonConnection().is === 'gone';
