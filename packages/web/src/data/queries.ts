// Queries that several pages share, one per noun. Each key begins with the noun that `refresher.ts` uses, so that an
// event refetches what it affects.
import { queryOptions } from '@tanstack/react-query';
import type { QueryNoun } from './refresher.ts';
import { relay } from './relay.ts';

/** Ensures that a key begins with a noun the stream knows. */
export const nounKey = (noun: QueryNoun, ...rest: readonly unknown[]) => [noun, ...rest] as const;

export const statusQuery = queryOptions({
  queryKey: nounKey('status'),
  queryFn: ({ signal }) => relay.get('/api/status', { signal }),
  // Some counts change without an event, such as what is sent in the next minute.
  refetchInterval: 30_000,
});

/** The owner's own accounts. */
export const accountsQuery = queryOptions({
  queryKey: nounKey('status', 'accounts'),
  queryFn: ({ signal }) => relay.get('/api/accounts', { signal }),
  select: ({ accounts }) => accounts.filter(({ own }) => own),
  // Other accounts have streams of their own.
  refetchInterval: 30_000,
});

export const inboxQuery = queryOptions({
  queryKey: nounKey('status', 'inbox'),
  queryFn: ({ signal }) => relay.get('/api/inbox', { signal }),
  refetchInterval: 10_000,
});

export const linkQuery = queryOptions({
  queryKey: nounKey('link'),
  queryFn: ({ signal }) => relay.get('/api/whatsapp/link', { signal }),
  refetchInterval: 10_000,
});

/** The poll that seed 000 specifies. */
export const whatsappStatusQuery = queryOptions({
  queryKey: nounKey('whatsapp-status'),
  queryFn: ({ signal }) => relay.get('/api/whatsapp/status', { signal }),
  refetchInterval: 10_000,
});

export const pendingApprovalsQuery = queryOptions({
  queryKey: nounKey('approvals', 'pending'),
  queryFn: ({ signal }) => relay.get('/api/approvals', { signal, query: { state: 'pending' } }),
});

export const needsYouQuery = queryOptions({
  queryKey: nounKey('instances', 'needing-you'),
  queryFn: ({ signal }) =>
    relay.get('/api/instances', { signal, query: { state: 'NEEDS_HUMAN_INTERVENTION', limit: 5 } }),
});

export const messageRequestsQuery = queryOptions({
  queryKey: nounKey('knocks'),
  queryFn: ({ signal }) => relay.get('/api/knocks', { signal }),
  // The event of a message comes before it is counted as a message request, and no event reports the count.
  refetchInterval: 10_000,
});

/** The names that the owner may use for a contact. */
export const contactNamesQuery = queryOptions({
  queryKey: nounKey('contacts', 'names'),
  queryFn: ({ signal }) => relay.get('/api/contacts', { signal, query: { limit: 500 } }),
});

export const chatQuery = (id: string) =>
  queryOptions({
    queryKey: nounKey('contacts', 'chat', id),
    queryFn: ({ signal }) => relay.get('/api/chats/{id}', { path: { id }, signal }),
  });

/** More than are shown, because many may say the same. */
export const recentLedgerQuery = queryOptions({
  queryKey: nounKey('ledger', 'recent'),
  queryFn: ({ signal }) => relay.get('/api/ledger', { signal, query: { limit: 50 } }),
});

export const tokensQuery = queryOptions({
  queryKey: nounKey('tokens'),
  queryFn: ({ signal }) => relay.get('/api/tokens', { signal }),
});

export const webhooksQuery = queryOptions({
  queryKey: nounKey('webhooks'),
  queryFn: ({ signal }) => relay.get('/api/webhooks', { signal }),
});

export const notificationsQuery = queryOptions({
  queryKey: nounKey('notifications'),
  queryFn: ({ signal }) => relay.get('/api/notifications', { signal }),
});

export const settingsQuery = queryOptions({
  queryKey: nounKey('settings'),
  queryFn: ({ signal }) => relay.get('/api/settings', { signal }),
});

export const forwarderQuery = queryOptions({
  queryKey: nounKey('tokens', 'forwarder'),
  queryFn: ({ signal }) => relay.get('/api/ingest/token', { signal }),
});
