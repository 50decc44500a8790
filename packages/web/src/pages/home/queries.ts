// What only Home asks.
import type { ActivityHours } from '@relay/core/activity';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { key } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';

export const activityQuery = (hours: ActivityHours) =>
  queryOptions({
    queryKey: key('activity', hours),
    queryFn: ({ signal }) => relay.get('/api/activity', { signal, query: { hours } }),
    // It counts: no event asks for it again, so that a rush of messages costs no more than a quiet hour.
    refetchInterval: 10_000,
    placeholderData: keepPreviousData,
  });
