// Loads the window of a transcript: the newest page on every event, older and newer ones on scrolling. Invariant: pages
// are requested one at a time, and none twice.
import { type QueryKey, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import {
  type TranscriptEntry,
  type TranscriptPage,
  withNewer,
  withNewest,
  withOlder,
} from './window.ts';

export interface TranscriptSource {
  /** Begins with a noun that the stream knows; changes with what is shown. */
  readonly key: QueryKey;
  newest(signal: AbortSignal): Promise<TranscriptPage>;
  older(than: TranscriptEntry): Promise<TranscriptPage>;
  newer(than: TranscriptEntry): Promise<TranscriptPage>;
  /** The page to start with instead of the end. */
  readonly around?: ((signal: AbortSignal) => Promise<TranscriptPage>) | undefined;
}

type ScrollDirection = 'older' | 'newer';

export function useTranscriptWindow(source: TranscriptSource) {
  const [window, setWindow] = useState<TranscriptPage | null>(null);
  const [failed, setFailed] = useState<ScrollDirection | null>(null);
  const isReadingEnd = useRef(true);
  const isAsking = useRef(false);
  // The current window before it is rendered: the next page is requested from there.
  const held = useRef<TranscriptPage | null>(null);
  const hold = useCallback((page: TranscriptPage) => {
    held.current = page;
    setWindow(page);
  }, []);

  const newest = useQuery({
    queryKey: source.key,
    queryFn: ({ signal }) => source.newest(signal),
  });
  const around = useQuery({
    queryKey: [...source.key, 'around'],
    queryFn: ({ signal }) => source.around?.(signal) ?? null,
    enabled: source.around !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const first = source.around === undefined ? newest.data : (around.data ?? undefined);

  useEffect(() => {
    if (held.current === null && first !== undefined) hold(first);
  }, [first, hold]);
  useEffect(() => {
    if (held.current === null || newest.data === undefined) return;
    hold(withNewest(held.current, newest.data, isReadingEnd.current));
  }, [newest.data, hold]);

  const load = useCallback(
    async (way: ScrollDirection) => {
      const before = held.current;
      const from = way === 'older' ? before?.entries[0] : before?.entries.at(-1);
      const hasMore = way === 'older' ? before?.hasOlder : before?.hasNewer;
      if (isAsking.current || before === null || !hasMore || from === undefined) return;
      isAsking.current = true;
      try {
        const page = await source[way](from);
        // Lines that arrived meanwhile are at the end; the place that was asked from still exists.
        const join = way === 'older' ? withOlder : withNewer;
        hold(join(held.current ?? before, page));
        setFailed(null);
      } catch {
        setFailed(way);
      } finally {
        isAsking.current = false;
      }
    },
    [source, hold],
  );

  return {
    window,
    /** The first of the two queries that must succeed before anything is shown. */
    query: source.around === undefined ? newest : around,
    newest: newest.data,
    failed,
    load,
    isReadingEnd,
    toEnd: () => newest.data && hold(newest.data),
  };
}
