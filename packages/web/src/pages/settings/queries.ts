// What the page asks of the daemon beside what all pages share.
import { queryOptions } from '@tanstack/react-query';
import { key } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';

export const memoryQuery = queryOptions({
  queryKey: key('settings', 'memory'),
  queryFn: ({ signal }) => relay.get('/api/memory', { signal }),
  refetchInterval: 10_000,
});

export const outsideMemoryQuery = queryOptions({
  queryKey: key('settings', 'outside-memory'),
  queryFn: ({ signal }) => relay.get('/api/outside-memory', { signal }),
});
