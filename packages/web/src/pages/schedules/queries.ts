// What Schedules asks of the daemon: a page of them, and what a new one would come to before it is saved.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { nounKey } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import type { ScheduleRequestBody } from './schedule-draft.ts';

export const SCHEDULES_PAGE_SIZE = 50;

/** One more than is shown, which says whether there is another page. */
export const schedulesQuery = (state: 'active' | 'past', page: number) =>
  queryOptions({
    queryKey: nounKey('schedules', 'list', state, page),
    queryFn: ({ signal }) =>
      relay.get('/api/schedules', {
        signal,
        query: { state, limit: SCHEDULES_PAGE_SIZE + 1, offset: (page - 1) * SCHEDULES_PAGE_SIZE },
      }),
    placeholderData: keepPreviousData,
  });

export const schedulePreviewQuery = (wish: ScheduleRequestBody | null) =>
  queryOptions({
    queryKey: nounKey('schedules', 'preview', wish),
    queryFn: ({ signal }) => {
      if (wish === null) throw new Error('nothing to preview');
      return relay.post('/api/schedules/preview', { signal, body: wish });
    },
    enabled: wish !== null,
    staleTime: 0,
    gcTime: 0,
  });
