// What the conversations ask of the daemon. A column is one request, however much of it is shown; of the list, only
// its beginning is asked for again by itself: whatever changes stands there.
import type { ListedInstance } from '@relay/core/api/instances';
import type { Turn } from '@relay/core/conversation/turns';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { key } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import type { Filters } from './search.ts';

export const COLUMN_PAGE = 30;
/** The most that a column shows; the list shows them all. */
export const COLUMN_MOST = 300;
export const LIST_PAGE = 50;

export const countsQuery = queryOptions({
  queryKey: key('instances', 'counts'),
  queryFn: ({ signal }) => relay.get('/api/instances/counts', { signal }),
});

export const columnQuery = (turn: Turn, limit: number) =>
  queryOptions({
    queryKey: key('instances', 'column', turn, limit),
    queryFn: ({ signal }) =>
      relay.get('/api/instances', { signal, query: { turn, limit, order: 'changed' } }),
    placeholderData: keepPreviousData,
  });

const ask = (
  filters: Filters,
  signal: AbortSignal,
  from: { after?: string; changed_before?: string } = {},
) =>
  relay.get('/api/instances', {
    signal,
    query: { ...filters, ...from, limit: LIST_PAGE, order: 'changed' },
  });

/** Its beginning, asked for again whenever something happens. */
export const latestQuery = (filters: Filters) =>
  queryOptions({
    queryKey: key('instances', 'latest', filters),
    queryFn: ({ signal }) => ask(filters, signal),
    placeholderData: keepPreviousData,
  });

/** Page after page, as it was when it was begun; never asked for again by itself. */
export const restQuery = (filters: Filters, last: ListedInstance | undefined) =>
  infiniteQueryOptions({
    queryKey: key('instances', 'rest', filters, last?.id, last?.updated_at),
    queryFn: ({ signal, pageParam }) => ask(filters, signal, pageParam),
    initialPageParam: cursorOf(last),
    getNextPageParam: (page) => (page.length < LIST_PAGE ? undefined : cursorOf(page.at(-1))),
    enabled: false,
  });

const cursorOf = (last: ListedInstance | undefined) =>
  last === undefined ? {} : { after: last.id, changed_before: last.updated_at };

/** Whoever may be meant by a name, a number or an id. */
export const peopleQuery = (query: string) =>
  queryOptions({
    queryKey: key('contacts', 'find', query),
    queryFn: ({ signal }) =>
      relay.get('/api/contacts', {
        signal,
        query: { kind: 'person', limit: 8, ...(query.trim() === '' ? {} : { query }) },
      }),
    placeholderData: keepPreviousData,
  });

/** The latest with one contact; whoever is first in line is among them. */
export const openWithQuery = (contact: string) =>
  queryOptions({
    queryKey: key('instances', 'with', contact),
    queryFn: ({ signal }) => relay.get('/api/instances', { signal, query: { contact, limit: 20 } }),
  });
