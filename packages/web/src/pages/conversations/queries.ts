// Queries of the conversations pages. A column is one request whatever its size; of the list only the first page is
// refetched, because every changed conversation moves there.
import type { ListedInstance } from '@relay/contract/api/instances';
import type { WhoseTurn } from '@relay/contract/conversation/states';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { nounKey } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import type { ConversationFilters } from '../../search-params.ts';

export const COLUMN_PAGE = 30;
/** The maximum that a column shows; the list shows all. */
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

/** The first page, refetched on every event. */
export const latestConversationsQuery = (filters: ConversationFilters) =>
  queryOptions({
    queryKey: nounKey('instances', 'latest', filters),
    queryFn: ({ signal }) => getInstances(filters, signal),
    placeholderData: keepPreviousData,
  });

/** Further pages as of the start of the list; never refetched automatically. */
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

/** Contacts that match a name, a number or an id. */
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

/** The latest conversations with one contact, including the one that is open. */
export const conversationsWithQuery = (contact: string) =>
  queryOptions({
    queryKey: nounKey('instances', 'with', contact),
    queryFn: ({ signal }) => relay.get('/api/instances', { signal, query: { contact, limit: 20 } }),
  });
