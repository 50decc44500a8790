// The rows of the list. It is read from a moment on: its beginning then, and page after page behind it. Whatever has
// changed since is known from the beginning as it is now, and shown in place; taking it in begins anew.
import type { ListedInstance } from '@relay/core/api/instances';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { LIST_PAGE, latestQuery, restQuery } from './queries.ts';
import type { Filters } from './search.ts';

export interface Rows {
  readonly all: readonly ListedInstance[];
  /** How many would come to the top. */
  readonly arrived: number;
  readonly isMore: boolean;
  readonly isLoading: boolean;
  /** While a pointer is inside, nothing moves by itself. */
  hold(isInside: boolean): void;
  take(): void;
  more(): void;
}

const NONE: readonly ListedInstance[] = [];

interface Begun {
  readonly from: readonly ListedInstance[];
  readonly filters: string;
}

export function useRows(filters: Filters) {
  const query = useQuery(latestQuery(filters));
  const { data: changes = NONE } = useQuery(latestQuery({}));
  const latest = query.data ?? NONE;
  const name = JSON.stringify(filters);
  const [begun, setBegun] = useState<Begun | null>(null);
  const [isHeld, hold] = useState(false);

  const beginning = begun?.filters === name ? begun.from : latest;
  const rest = useInfiniteQuery(restQuery(filters, beginning.at(-1)));
  const isFurther = rest.data !== undefined;
  // Held, or read further than the beginning: it stays as it was begun.
  const stays = isHeld || isFurther;
  if (!stays && (begun?.from !== latest || begun.filters !== name) && !query.isPlaceholderData) {
    setBegun({ from: latest, filters: name });
  }

  const all = useMemo(() => {
    const now = new Map([...changes, ...latest].map((one) => [one.id, one]));
    const rows = [...beginning, ...(rest.data?.pages.flat() ?? [])];
    const once = new Map(rows.map((one) => [one.id, now.get(one.id) ?? one]));
    return [...once.values()];
  }, [beginning, rest.data, changes, latest]);
  const first = beginning[0]?.updated_at ?? '';
  const arrived = latest.filter(({ updated_at }) => updated_at > first).length;

  const { fetchNextPage } = rest;
  return {
    query,
    all,
    arrived,
    isMore: isFurther ? rest.hasNextPage : beginning.length === LIST_PAGE,
    isLoading: rest.isFetching,
    hold,
    take: () => setBegun({ from: latest, filters: name }),
    more: useCallback(() => void fetchNextPage(), [fetchNextPage]),
  };
}
