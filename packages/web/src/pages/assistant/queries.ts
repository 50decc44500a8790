// What was said with the assistant, a page at a time from the newest back.
import type { AssistantLine } from '@relay/core/api/assistant';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { key } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';

const PAGE = 40;

export const historyQuery = infiniteQueryOptions({
  queryKey: key('assistant', 'history'),
  queryFn: ({ signal, pageParam }) =>
    relay.get('/api/assistant/messages', {
      signal,
      query: { limit: PAGE, ...(pageParam === null ? {} : { before: Number(pageParam) }) },
    }),
  initialPageParam: null as string | null,
  getNextPageParam: (page: readonly AssistantLine[]) =>
    page.length < PAGE ? null : (page[0]?.id ?? null),
  select: ({ pages }) => pages.toReversed().flat(),
});
