// What the page asks of the daemon beside what all pages share.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { nounKey } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';

export const observedQuery = queryOptions({
  queryKey: nounKey('groups', 'observed'),
  queryFn: ({ signal }) => relay.get('/api/observed-groups', { signal }),
  // Messages that were only counted tell no event.
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

/** One group's day; without a day the last that has something. */
export const groupDayQuery = (group: string, day: string | undefined) =>
  queryOptions({
    queryKey: nounKey('digests', group, day ?? 'last'),
    queryFn: async ({ signal }) => {
      const query = day === undefined ? { group } : { group, day };
      return (await relay.get('/api/digests', { signal, query })).digests[0] ?? null;
    },
    // Stepping from day to day leaves the last one in view until the next is there.
    placeholderData: (before, asked) =>
      asked?.queryKey[1] === group ? keepPreviousData(before) : undefined,
  });
