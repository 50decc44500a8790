// The event stream that all tabs share: it reports whether the daemon is reachable and refetches whatever an event
// affects. Invariant: after any gap, including a restart, everything shown is refetched.
import { streamEvents } from '@relay/contract/client/event-stream';
import type { LiveEvent } from '@relay/contract/client/sse';
import type { OpenStream } from '@relay/contract/client/transport';
import { createContext, use, useSyncExternalStore } from 'react';
import { CURRENT_ACCOUNT } from './account.ts';
import { nounsTouchedBy, type Refresher } from './refresher.ts';
import { isSignedOut } from './relay.ts';

type DaemonConnection =
  | { readonly state: 'opening' }
  | { readonly state: 'live' }
  | { readonly state: 'gone'; readonly since: number; readonly retryAt: number }
  | { readonly state: 'signed_out' };

interface LiveStream {
  get(): DaemonConnection;
  subscribe(listener: () => void): () => void;
  /** Calls the listener with each event, for callers that need more than a refetch. */
  listen(listener: (event: LiveEvent) => void): () => void;
  start(): void;
  stop(): void;
  /** Reconnects now instead of waiting for the next attempt. */
  reconnectNow(): void;
  /** Reports that a request was refused because there is no session. */
  markSignedOut(): void;
}

const RETRY_AFTER_MS = 15_000;

export function createLiveStream(
  relay: { readonly open: OpenStream },
  refresher: Refresher,
  share: TabChannel = singleTabChannel,
): LiveStream {
  const listeners = new Set<() => void>();
  const eventListeners = new Set<(event: LiveEvent) => void>();
  let connection: DaemonConnection = { state: 'opening' };
  let cursor: string | undefined;
  let ending = new AbortController();
  ending.abort();
  /** Set while this tab reads the stream; other tabs wait to become the leader. */
  let reading: AbortSignal | null = null;
  const isLeading = () => reading === ending.signal;

  const become = (next: DaemonConnection) => {
    connection = next;
    for (const listener of listeners) listener();
  };
  const lost = (pauseMs: number) => {
    const since = connection.state === 'gone' ? connection.since : Date.now();
    const retryAt = Date.now() + pauseMs;
    become({ state: 'gone', since, retryAt });
    share.post({ kind: 'lost', since, retryAt });
  };
  const take = (event: LiveEvent) => {
    cursor = event.cursor;
    if (event.type === 'event') refresher.invalidate(nounsTouchedBy(event));
    else {
      refresher.invalidateAll();
      become({ state: 'live' });
    }
    for (const listener of eventListeners) listener(event);
  };
  const leave = () => {
    if (connection.state === 'signed_out') return;
    ending.abort();
    become({ state: 'signed_out' });
  };

  const read = async (signal: AbortSignal) => {
    const from = cursor === undefined ? {} : { lastEventId: cursor };
    const onLost = (_error: Error, pauseMs: number) => lost(pauseMs);
    try {
      for await (const event of streamEvents(relay, { ...from, signal, onLost })) {
        take(event);
        share.post({ kind: 'event', event });
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isSignedOut(error)) {
        share.post({ kind: 'signed_out' });
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
    share.post({ kind: 'hello' });
    void share.lead(signal, async () => {
      reading = signal;
      await read(signal);
      if (reading === signal) reading = null;
    });
  };

  /** From another tab. */
  const handlers: {
    readonly [Kind in TabMessage['kind']]: (message: Extract<TabMessage, { kind: Kind }>) => void;
  } = {
    event: ({ event }) => take(event),
    lost: ({ since, retryAt }) => become({ state: 'gone', since, retryAt }),
    signed_out: leave,
    hello() {
      if (!isLeading() || cursor === undefined) return;
      if (connection.state === 'live') share.post({ kind: 'here', cursor });
      if (connection.state === 'gone') {
        const { since, retryAt } = connection;
        share.post({ kind: 'lost', since, retryAt });
      }
    },
    here({ cursor: theirs }) {
      if (connection.state !== 'live') take({ type: 'ready', cursor: theirs });
    },
    try: () => void (isLeading() && connection.state === 'gone' && restart()),
  };
  share.onMessage((message) => {
    if (!ending.signal.aborted) (handlers[message.kind] as (message: TabMessage) => void)(message);
  });

  return {
    get: () => connection,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    listen(listener) {
      eventListeners.add(listener);
      return () => eventListeners.delete(listener);
    },
    start() {
      if (connection.state === 'signed_out') become({ state: 'opening' });
      restart();
    },
    stop: () => ending.abort(),
    reconnectNow() {
      share.post({ kind: 'try' });
      restart();
    },
    markSignedOut: leave,
  };
}

// One stream for all tabs of a browser. A browser allows six connections per host, so one open stream per tab would
// block the seventh tab. One tab leads and reads, and passes events to the others; when it closes, the next in line
// takes over. Where a browser does not support this, each tab reads for itself.

/** Messages between tabs. */
export type TabMessage =
  | { readonly kind: 'event'; readonly event: LiveEvent }
  | { readonly kind: 'lost'; readonly since: number; readonly retryAt: number }
  | { readonly kind: 'signed_out' }
  /** A new tab asks for the current state. */
  | { readonly kind: 'hello' }
  /** The leader's answer: the stream is connected, up to this event. */
  | { readonly kind: 'here'; readonly cursor: string }
  /** A tab asks for an immediate reconnect. */
  | { readonly kind: 'try' };

export interface TabChannel {
  /** Waits to become the leader, and stays leader until `read` ends. Never rejects because of an abort. */
  lead(signal: AbortSignal, read: () => Promise<void>): Promise<void>;
  post(message: TabMessage): void;
  onMessage(listener: (message: TabMessage) => void): () => void;
}

/** For a browser in which tabs cannot share. */
const singleTabChannel: TabChannel = {
  lead: (_signal, read) => read(),
  post: () => {},
  onMessage: () => () => {},
};

/** Each account has its own stream. */
const TAB_CHANNEL_NAME =
  CURRENT_ACCOUNT === null ? 'relay.stream' : `relay.stream.${CURRENT_ACCOUNT}`;

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
    post: (message) => channel.postMessage(message),
    onMessage(listener) {
      const onMessage = ({ data }: MessageEvent<TabMessage>) => listener(data);
      channel.addEventListener('message', onMessage);
      return () => channel.removeEventListener('message', onMessage);
    },
  };
}

// Reconnects at once after the machine slept, the network returned or the tab became visible.

const WAKE_CHECK_MS = 5_000;
/** Timers of a background tab may be up to a minute late; a longer delay means that the machine slept. */
const SLEPT_MS = 90_000;

export function reconnectOnWake(live: LiveStream): void {
  const reconnectIfGone = () => {
    if (!document.hidden && live.get().state === 'gone') live.reconnectNow();
  };
  const reconnect = () => live.get().state !== 'signed_out' && live.reconnectNow();
  document.addEventListener('visibilitychange', reconnectIfGone);
  addEventListener('focus', reconnectIfGone);
  addEventListener('pageshow', ({ persisted }) => persisted && reconnect());
  addEventListener('online', reconnect);
  let last = Date.now();
  setInterval(() => {
    const now = Date.now();
    if (now - last > SLEPT_MS) reconnect();
    last = now;
    // The leading tab may be in the background, where the browser delays its timers.
    const connection = live.get();
    if (connection.state === 'gone' && connection.retryAt < now - WAKE_CHECK_MS) reconnectIfGone();
  }, WAKE_CHECK_MS);
}

/** A background tab does not refetch; it does when it becomes visible. */
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

// Hooks that expose the stream to components.

export const LiveStreamContext = createContext<LiveStream | null>(null);

export function useLiveStream(): LiveStream {
  const live = use(LiveStreamContext);
  if (live === null) throw new Error('useLiveStream needs a LiveStreamContext.');
  return live;
}

export function useDaemonConnection(): DaemonConnection {
  const live = useLiveStream();
  return useSyncExternalStore(live.subscribe, live.get);
}

/** While the daemon is unreachable no action can succeed, so buttons are disabled. */
export const useIsDaemonGone = (): boolean => useDaemonConnection().state === 'gone';
