// What the console knows, until something happens. The client sends reads again by itself, and the stream says when
// to ask anew; so nothing here retries, and what was known stays in view while it is asked for.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isSignedOut } from './relay.ts';

export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: Error) => {
    if (isSignedOut(error)) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // The daemon is on this machine: whether the browser has a network says nothing about it.
      queries: { retry: false, staleTime: 60_000, gcTime: 10 * 60_000, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
