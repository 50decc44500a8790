// The stream, as components see it.
import { createContext, use, useSyncExternalStore } from 'react';
import type { Connection, Live } from './live.ts';

export const LiveContext = createContext<Live | null>(null);

export function useLive(): Live {
  const live = use(LiveContext);
  if (live === null) throw new Error('There is no stream outside of the console.');
  return live;
}

export function useConnection(): Connection {
  const live = useLive();
  return useSyncExternalStore(live.subscribe, live.get);
}

/** While the daemon is away nothing can be done, so buttons are off. */
export const useIsGone = (): boolean => useConnection().is === 'gone';
