// Queries that only the settings page uses.
import { queryOptions } from '@tanstack/react-query';
import { nounKey } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';

export const embeddingsStatusQuery = queryOptions({
  queryKey: nounKey('settings', 'memory'),
  queryFn: ({ signal }) => relay.get('/api/memory', { signal }),
  refetchInterval: 10_000,
});

export const digestExportQuery = queryOptions({
  queryKey: nounKey('settings', 'outside-memory'),
  queryFn: ({ signal }) => relay.get('/api/outside-memory', { signal }),
});

export const remoteQuery = queryOptions({
  queryKey: nounKey('settings', 'remote'),
  queryFn: ({ signal }) => relay.get('/api/remote', { signal }),
});

export const workersQuery = queryOptions({
  queryKey: nounKey('settings', 'workers'),
  queryFn: ({ signal }) => relay.get('/api/workers', { signal }),
  refetchInterval: 5_000,
});
