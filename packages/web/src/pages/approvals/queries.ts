// What the approvals ask of the daemon: a list page by page, and one with what led to it.
import type { ApprovalState } from '@relay/core/api/approvals';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { key } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';

const PAGE = 50;

export const approvalPagesQuery = (state: ApprovalState) =>
  infiniteQueryOptions({
    queryKey: key('approvals', 'pages', state),
    queryFn: ({ signal, pageParam }) => {
      const after = pageParam === '' ? {} : { after: pageParam };
      return relay.get('/api/approvals', { signal, query: { state, limit: PAGE, ...after } });
    },
    initialPageParam: '',
    getNextPageParam: (page) => (page.length < PAGE ? undefined : page.at(-1)?.id),
    select: ({ pages }) => pages.flat(),
  });

export const approvalQuery = (id: string) =>
  queryOptions({
    queryKey: key('approvals', 'one', id),
    queryFn: ({ signal }) => relay.get('/api/approvals/{id}', { signal, path: { id } }),
  });
