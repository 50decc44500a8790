// What the conversations ask of the daemon. A column is one request, however much of it is shown; of the list, only
// its beginning is asked for again by itself: whatever changes stands there.
import type { ListedInstance } from '@relay/contract/api/instances';
import type { WhoseTurn } from '@relay/contract/conversation/states';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { nounKey } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import type { ConversationFilters } from '../../search-params.ts';

export const COLUMN_PAGE = 30;
/** The most that a column shows; the list shows them all. */
export const COLUMN_MOST = 300;
export const LIST_PAGE = 50;

export const conversationCountsQuery = queryOptions({
  queryKey: nounKey('instances', 'counts'),
  queryFn: ({ signal }) => relay.get('/api/instances/counts', { signal }),
});

export const columnQuery = (turn: WhoseTurn, limit: number) =>
  queryOptions({
    queryKey: nounKey('instances', 'column', turn, limit),
    queryFn: ({ signal }) =>
      relay.get('/api/instances', { signal, query: { turn, limit, order: 'changed' } }),
    placeholderData: keepPreviousData,
  });

const getInstances = (
  filters: ConversationFilters,
  signal: AbortSignal,
  from: { after?: string; changed_before?: string } = {},
) =>
  relay.get('/api/instances', {
    signal,
    query: { ...filters, ...from, limit: LIST_PAGE, order: 'changed' },
  });

/** Its beginning, asked for again whenever something happens. */
export const latestConversationsQuery = (filters: ConversationFilters) =>
  queryOptions({
    queryKey: nounKey('instances', 'latest', filters),
    queryFn: ({ signal }) => getInstances(filters, signal),
    placeholderData: keepPreviousData,
  });

/** Page after page, as it was when it was begun; never asked for again by itself. */
export const olderConversationsQuery = (
  filters: ConversationFilters,
  last: ListedInstance | undefined,
) =>
  infiniteQueryOptions({
    queryKey: nounKey('instances', 'rest', filters, last?.id, last?.updated_at),
    queryFn: ({ signal, pageParam }) => getInstances(filters, signal, pageParam),
    initialPageParam: cursorOf(last),
    getNextPageParam: (page) => (page.length < LIST_PAGE ? undefined : cursorOf(page.at(-1))),
    enabled: false,
  });

const cursorOf = (last: ListedInstance | undefined) =>
  last === undefined ? {} : { after: last.id, changed_before: last.updated_at };

/** Whoever may be meant by a name, a number or an id. */
export const findPeopleQuery = (query: string) =>
  queryOptions({
    queryKey: nounKey('contacts', 'find', query),
    queryFn: ({ signal }) =>
      relay.get('/api/contacts', {
        signal,
        query: { kind: 'person', limit: 8, ...(query.trim() === '' ? {} : { query }) },
      }),
    placeholderData: keepPreviousData,
  });

/** The latest with one contact; whoever is first in line is among them. */
export const conversationsWithQuery = (contact: string) =>
  queryOptions({
    queryKey: nounKey('instances', 'with', contact),
    queryFn: ({ signal }) => relay.get('/api/instances', { signal, query: { contact, limit: 20 } }),
  });
