// Queries of the schedules page: a page of schedules, and the preview of a new one.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { nounKey } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import type { ScheduleRequestBody } from './schedule-draft.ts';

export const SCHEDULES_PAGE_SIZE = 50;

/** Requests one more than is shown, to know whether there is another page. */
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

export const schedulePreviewQuery = (request: ScheduleRequestBody | null) =>
  queryOptions({
    queryKey: nounKey('schedules', 'preview', request),
    queryFn: ({ signal }) => {
      if (request === null) throw new Error('nothing to preview');
      return relay.post('/api/schedules/preview', { signal, body: request });
    },
    enabled: request !== null,
    staleTime: 0,
    gcTime: 0,
  });
