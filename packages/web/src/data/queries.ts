// What the console asks of the daemon, one query a noun. The first part of each key is the noun that `refresher.ts`
// names when something happens, so whatever is shown is asked for again by itself.
import { queryOptions } from '@tanstack/react-query';
import type { QueryNoun } from './refresher.ts';
import { relay } from './relay.ts';

/** Makes sure that a key begins with a noun the stream knows. */
export const nounKey = (noun: QueryNoun, ...rest: readonly unknown[]) => [noun, ...rest] as const;

export const statusQuery = queryOptions({
  queryKey: nounKey('status'),
  queryFn: ({ signal }) => relay.get('/api/status', { signal }),
  // Counts that no event names, as what leaves in the next minute.
  refetchInterval: 30_000,
});

export const linkQuery = queryOptions({
  queryKey: nounKey('link'),
  queryFn: ({ signal }) => relay.get('/api/whatsapp/link', { signal }),
  refetchInterval: 10_000,
});

/** Seed 000's poll. */
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
  // A message is told when it comes and counted as a knock a moment later, which no event names.
  refetchInterval: 10_000,
});

/** Whom the owner may mean by a name. */
export const contactNamesQuery = queryOptions({
  queryKey: nounKey('contacts', 'names'),
  queryFn: ({ signal }) => relay.get('/api/contacts', { signal, query: { limit: 500 } }),
});

export const recentLedgerQuery = queryOptions({
  queryKey: nounKey('ledger', 'recent'),
  queryFn: ({ signal }) => relay.get('/api/ledger', { signal, query: { limit: 8 } }),
});

export const tokensQuery = queryOptions({
  queryKey: nounKey('tokens'),
  queryFn: ({ signal }) => relay.get('/api/tokens', { signal }),
});

export const webhooksQuery = queryOptions({
  queryKey: nounKey('webhooks'),
  queryFn: ({ signal }) => relay.get('/api/webhooks', { signal }),
});

export const settingsQuery = queryOptions({
  queryKey: nounKey('settings'),
  queryFn: ({ signal }) => relay.get('/api/settings', { signal }),
});

export const forwarderQuery = queryOptions({
  queryKey: nounKey('tokens', 'forwarder'),
  queryFn: ({ signal }) => relay.get('/api/ingest/token', { signal }),
});
