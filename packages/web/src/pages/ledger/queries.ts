// Queries of the ledger page. A row never changes, so loaded rows are not refetched: new ones are counted by a separate
// query and shown on demand.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { nounKey } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import {
  expandOutcomeGroup,
  LEDGER_SINCE,
  type LedgerSearch,
  pickLedgerFilters,
} from '../../search-params.ts';

const PAGE = 60;
/** New rows are counted up to this number. */
export const MOST_NEW = 99;

/** The filters as the API takes them. */
export function toLedgerQuery({ actor, action, outcome, subject, since }: LedgerSearch) {
  return {
    ...(actor === undefined ? {} : { actor }),
    ...(action === undefined ? {} : { action }),
    ...(outcome === undefined ? {} : { outcome: expandOutcomeGroup(outcome) }),
    ...(subject === undefined ? {} : { subject }),
    ...(since === undefined
      ? {}
      : { since: new Date(Date.now() - LEDGER_SINCE[since].ms).toISOString() }),
  };
}

/** `round` changes each time the owner asks for new rows, which starts a new list. */
export const ledgerPagesQuery = (search: LedgerSearch, round: number) =>
  infiniteQueryOptions({
    queryKey: nounKey('ledger', 'pages', pickLedgerFilters(search), round),
    queryFn: ({ signal, pageParam }) => {
      const behind = pageParam === '' ? {} : { cursor: pageParam };
      return relay.get('/api/ledger', {
        signal,
        query: { ...toLedgerQuery(search), limit: PAGE, ...behind },
      });
    },
    initialPageParam: '',
    getNextPageParam: ({ more, cursor }) => (more ? cursor : undefined),
    staleTime: 'static',
  });

/** Rows after the newest one shown. */
export const newRowsQuery = (search: LedgerSearch, newest: number | undefined) =>
  queryOptions({
    queryKey: nounKey('ledger', 'new', pickLedgerFilters(search), newest),
    queryFn: ({ signal }) => {
      const { since: _, ...filters } = toLedgerQuery(search);
      const query = { order: 'oldest', cursor: String(newest ?? 0), limit: MOST_NEW } as const;
      return relay.get('/api/ledger', { signal, query: { ...filters, ...query } });
    },
    enabled: newest !== undefined,
  });

/** One row by its number: a page of one that ends with it. */
export const ledgerRowQuery = (seq: number) =>
  queryOptions({
    queryKey: nounKey('ledger', 'row', seq),
    queryFn: async ({ signal }) => {
      const query = { cursor: String(seq + 1), limit: 1 };
      const { entries } = await relay.get('/api/ledger', { signal, query });
      return entries.find((entry) => entry.seq === seq) ?? null;
    },
    staleTime: 'static',
  });

export const whyQuery = (message: string, chat: string | undefined) =>
  queryOptions({
    queryKey: nounKey('ledger', 'why', message, chat),
    queryFn: ({ signal }) =>
      relay.get('/api/messages/{id}/why', {
        signal,
        path: { id: message },
        query: chat === undefined ? {} : { chat },
      }),
  });

/** Fetched when the page opens and on demand, not with each row: it computes hashes. */
export const chainVerdictQuery = queryOptions({
  queryKey: nounKey('ledger', 'verdict'),
  queryFn: ({ signal }) => relay.get('/api/ledger/verify', { signal }),
  staleTime: 'static',
});
