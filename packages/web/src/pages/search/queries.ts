// What Search asks: what was found, for whom; the state of the index; and names to choose from.
import type { SearchResponse } from '@relay/core/api/search';
import { LONGEST_QUESTION } from '@relay/core/search/asked';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { key } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import type { SearchAddress } from './address.ts';

/** How much of what was found is asked for at first, and at most. */
export const FIRST = 20;
export const MOST = 100;

export const canBeAsked = ({ q = '' }: SearchAddress): boolean =>
  q.trim() !== '' && q.length <= LONGEST_QUESTION;

/** A question that is typed on is taken back: an older answer never comes after a newer one. */
export function foundQuery({ q = '', chat, person, from, to, as, all }: SearchAddress) {
  const asked = {
    q,
    limit: all ? MOST : FIRST,
    ...(chat === undefined ? {} : { chat }),
    ...(person === undefined ? {} : { contact: person }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(as === undefined ? {} : { as }),
  };
  return queryOptions<SearchResponse>({
    queryKey: key('search', 'found', asked),
    queryFn: ({ signal }) => relay.get('/api/search', { signal, query: asked }),
    enabled: canBeAsked({ q }),
    placeholderData: keepPreviousData,
  });
}

export const memoryQuery = queryOptions({
  queryKey: key('search', 'memory'),
  queryFn: ({ signal }) => relay.get('/api/memory', { signal }),
  refetchInterval: 30_000,
});
