// Queries of the people page. The list is loaded page by page, so that ten thousand contacts are never sent at once.
import type { ContactFilter } from '@relay/contract/api/contacts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { nounKey } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';

export const CONTACTS_PAGE_SIZE = 50;

interface ContactsPageParams {
  readonly show: ContactFilter;
  readonly q: string;
  readonly page: number;
}

export const contactsQuery = ({ show, q, page }: ContactsPageParams) =>
  queryOptions({
    queryKey: nounKey('contacts', 'list', show, q, page),
    queryFn: ({ signal }) =>
      relay.get('/api/contacts', {
        signal,
        query: {
          show,
          // By name, so that no row moves under the pointer when somebody writes.
          sort: 'name',
          limit: CONTACTS_PAGE_SIZE,
          offset: (page - 1) * CONTACTS_PAGE_SIZE,
          ...(q === '' ? {} : { query: q }),
        },
      }),
    placeholderData: keepPreviousData,
  });

export const contactCountsQuery = queryOptions({
  queryKey: nounKey('contacts', 'counts'),
  queryFn: ({ signal }) => relay.get('/api/contacts/counts', { signal }),
});

export const contactQuery = (id: string) =>
  queryOptions({
    queryKey: nounKey('contacts', 'one', id),
    queryFn: ({ signal }) =>
      relay.get('/api/contacts/{contact}', { signal, path: { contact: id } }),
  });

/** What erasing would delete; fetched again each time. */
export const forgetQuery = (id: string) =>
  queryOptions({
    queryKey: nounKey('contacts', 'forget', id),
    queryFn: ({ signal }) => relay.get('/api/forget', { signal, query: { id } }),
    staleTime: 0,
  });

/** How long messages are kept: the general limit, and the chats with another. */
export const messageLimitsQuery = queryOptions({
  queryKey: nounKey('groups', 'retention'),
  queryFn: ({ signal }) => relay.get('/api/retention', { signal }),
});

/** The last messages of one chat, for the owner only. */
export const latestMessagesQuery = (jid: string, limit: number) =>
  queryOptions({
    queryKey: nounKey('messages', 'latest', jid, limit),
    queryFn: ({ signal }) =>
      relay.get('/api/whatsapp/messages', { signal, query: { chat: jid, limit } }),
  });
