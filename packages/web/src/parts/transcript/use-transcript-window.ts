// Holds the window of a transcript: the newest page is asked for whenever something touches it, older and newer ones
// as somebody scrolls there. Invariant: one page is asked for at a time, and none is asked for twice.
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
  /** Instead of the end, to begin with. */
  readonly around?: ((signal: AbortSignal) => Promise<TranscriptPage>) | undefined;
}

type ScrollDirection = 'older' | 'newer';

export function useTranscriptWindow(source: TranscriptSource) {
  const [window, setWindow] = useState<TranscriptPage | null>(null);
  const [failed, setFailed] = useState<ScrollDirection | null>(null);
  const isReadingEnd = useRef(true);
  const isAsking = useRef(false);
  // What is held right now, before it is drawn: the next page is asked for from there.
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
      const from = way === 'older' ? before?.lines[0] : before?.lines.at(-1);
      if (isAsking.current || !before?.[way] || from === undefined) return;
      isAsking.current = true;
      try {
        const page = await source[way](from);
        // What came meanwhile came at the end; the place that was asked from is still there.
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
    /** The first of the two questions that must be answered before anything is shown. */
    query: source.around === undefined ? newest : around,
    newest: newest.data,
    failed,
    load,
    isReadingEnd,
    toEnd: () => newest.data && hold(newest.data),
  };
}
