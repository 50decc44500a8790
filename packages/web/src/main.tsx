// Where the console begins: the cache, the one stream and the routes are made here and handed down.
import './theme/layers.css';
import '@fontsource-variable/inter/opsz.css';
import './theme/components.css';
import 'virtual:variables.css';
import '@mantine/notifications/styles.layer.css';
import './theme/tokens.css';
import './theme/base.css';
import './theme/mantine.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createLive } from './data/live.ts';
import { linkQuery, statusQuery } from './data/queries.ts';
import { createQueryClient } from './data/query-client.ts';
import { createRefresher } from './data/refresher.ts';
import { relay } from './data/relay.ts';
import { resumeSoon, untilSeen } from './data/resume.ts';
import { amongTabs } from './data/share.ts';
import { LiveContext } from './data/use-live.ts';
import { router } from './router.tsx';
import { Look } from './theme/look.tsx';

const queries = createQueryClient(() => live.signedOut());
const live = createLive(relay, createRefresher(queries, untilSeen), amongTabs());
// Whoever signs out leaves nothing behind in the page.
live.subscribe(() => live.get().is === 'signed_out' && queries.clear());
live.start();
// Every page says these first: they are on their way while the page is still being drawn.
void queries.prefetchQuery(statusQuery);
void queries.prefetchQuery(linkQuery);
resumeSoon(live);

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Look>
        <QueryClientProvider client={queries}>
          <LiveContext value={live}>
            <RouterProvider router={router} />
          </LiveContext>
        </QueryClientProvider>
      </Look>
    </StrictMode>,
  );
}
