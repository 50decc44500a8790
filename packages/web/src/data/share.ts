// One stream for all tabs of a browser: it lends a host six connections at a time, and a tab that keeps one of them
// open would make the seventh hang. One tab leads and reads, the others hear what it heard; when it closes, the next
// in line goes on. Where a browser cannot do that, each tab reads for itself.
import type { LiveEvent } from '@relay/core/client/events';

/** What tabs say to one another. */
export type Told =
  | { readonly is: 'event'; readonly event: LiveEvent }
  | { readonly is: 'lost'; readonly since: number; readonly retryAt: number }
  | { readonly is: 'signed_out' }
  /** Somebody is new, and wants to know how it stands. */
  | { readonly is: 'hello' }
  /** The leader's answer: the stream is there, up to this event. */
  | { readonly is: 'here'; readonly cursor: string }
  /** Somebody does not want to wait for the next attempt. */
  | { readonly is: 'try' };

export interface Share {
  /** Waits for the lead, and keeps it until `read` has ended. Never rejects for being aborted. */
  lead(signal: AbortSignal, read: () => Promise<void>): Promise<void>;
  tell(told: Told): void;
  hear(listener: (told: Told) => void): () => void;
}

/** For one who has nobody to share with. */
export const alone: Share = {
  lead: (_signal, read) => read(),
  tell: () => {},
  hear: () => () => {},
};

const NAME = 'relay.stream';

export function amongTabs(): Share {
  if (navigator.locks === undefined || typeof BroadcastChannel !== 'function') return alone;
  const channel = new BroadcastChannel(NAME);
  return {
    async lead(signal, read) {
      try {
        await navigator.locks.request(NAME, { signal }, read);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    tell: (told) => channel.postMessage(told),
    hear(listener) {
      const onMessage = ({ data }: MessageEvent<Told>) => listener(data);
      channel.addEventListener('message', onMessage);
      return () => channel.removeEventListener('message', onMessage);
    },
  };
}
