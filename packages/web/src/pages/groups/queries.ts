// Queries that only the groups page uses.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { nounKey } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';

export const observedQuery = queryOptions({
  queryKey: nounKey('groups', 'observed'),
  queryFn: ({ signal }) => relay.get('/api/observed-groups', { signal }),
  // Messages that are only counted create no event.
  refetchInterval: 60_000,
});

export const retentionQuery = queryOptions({
  queryKey: nounKey('groups', 'retention'),
  queryFn: ({ signal }) => relay.get('/api/retention', { signal }),
});

export const digestExportStatusQuery = queryOptions({
  queryKey: nounKey('settings', 'outside-memory'),
  queryFn: ({ signal }) => relay.get('/api/outside-memory', { signal }),
});

/** One day of a group; without a day, the last one with content. */
export const groupDayQuery = (group: string, day: string | undefined) =>
  queryOptions({
    queryKey: nounKey('digests', group, day ?? 'last'),
    queryFn: async ({ signal }) => {
      const query = day === undefined ? { group } : { group, day };
      return (await relay.get('/api/digests', { signal, query })).digests[0] ?? null;
    },
    // While another day loads, the previous one stays visible.
    placeholderData: (before, asked) =>
      asked?.queryKey[1] === group ? keepPreviousData(before) : undefined,
  });
