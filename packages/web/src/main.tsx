// Entry point of the console: creates the query cache, the event stream and the router, and passes them down.
import './theme/layers.css';
import '@fontsource-variable/inter/opsz.css';
import './theme/components.css';
import 'virtual:variables.css';
import '@mantine/notifications/styles.layer.css';
import './theme/tokens.css';
import './theme/base.css';
import './theme/mantine.css';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import {
  createLiveStream,
  LiveStreamContext,
  openTabChannel,
  reconnectOnWake,
  untilTabVisible,
} from './data/live-stream.ts';
import { linkQuery, statusQuery } from './data/queries.ts';
import { createRefresher } from './data/refresher.ts';
import { isSignedOut, relay } from './data/relay.ts';
import { loadMessages, startLocale } from './i18n.ts';
import { router } from './router.tsx';
import { ThemeProvider } from './theme/theme-provider.tsx';

const texts = startLocale('common', 'home', 'decisions');

const queries = createQueryClient(() => live.markSignedOut());
const live = createLiveStream(relay, createRefresher(queries, untilTabVisible), openTabChannel());
// Signing out removes all data from the page.
live.subscribe(() => live.get().state === 'signed_out' && queries.clear());
live.start();
// Every page needs these first, so they are fetched while the page is still rendering.
void queries.prefetchQuery(statusQuery);
void queries.prefetchQuery(linkQuery);
reconnectOnWake(live);

const root = document.getElementById('root');
if (root) {
  await texts;
  createRoot(root).render(
    <StrictMode>
      <ThemeProvider>
        <QueryClientProvider client={queries}>
          <LiveStreamContext value={live}>
            <RouterProvider router={router} />
          </LiveStreamContext>
        </QueryClientProvider>
      </ThemeProvider>
    </StrictMode>,
  );
  // Needed only when something is refused.
  void loadMessages('errors');
}

// The query cache. The client retries reads by itself and the stream says when to refetch; so nothing here retries, and
// known data stays visible during a refetch.

function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: Error) => {
    if (isSignedOut(error)) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // The daemon is on this machine: whether the browser is online is irrelevant.
      queries: { retry: false, staleTime: 60_000, gcTime: 10 * 60_000, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
