// The console's routes: one for each page that core names. Home comes with the first script; every
// other page is loaded when it is first visited.
import type { ConsolePage } from '@relay/core/console/pages';
import {
  type AnyValidator,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import { fetched } from './data/fetched.ts';
import { readApprovalsSearch } from './pages/approvals/search.ts';
import { readAssistantAddress } from './pages/assistant/address.ts';
import { readChatsSearch } from './pages/chats/search.ts';
import { readConversationSearch } from './pages/conversations/one/tab.ts';
import { readConversationsSearch } from './pages/conversations/search.ts';
import { readGroupsView } from './pages/groups/view.ts';
import { Home } from './pages/home/home.tsx';
import { readHomeSearch } from './pages/home/search.ts';
import { readLedgerSearch } from './pages/ledger/search.ts';
import { readPeopleSearch } from './pages/people/search.ts';
import { readSchedulesSearch } from './pages/schedules/search.ts';
import { readSearchAddress } from './pages/search/address.ts';
import { FallenPage, NoSuchPage } from './shell/boundary.tsx';
import { Shell } from './shell/shell.tsx';

const root = createRootRoute({
  component: Shell,
  errorComponent: FallenPage,
  notFoundComponent: NoSuchPage,
});

const at = <Path extends ConsolePage>(path: Path, component: RouteComponent) => ({
  getParentRoute: () => root,
  path,
  component,
  errorComponent: FallenPage,
});
const page = <Path extends ConsolePage>(path: Path, component: RouteComponent) =>
  createRoute(at(path, component));

/** One whose filters stand in the address. */
const listed = <Path extends ConsolePage, Search extends AnyValidator>(
  path: Path,
  component: RouteComponent,
  validateSearch: Search,
) => createRoute({ ...at(path, component), validateSearch });

const later: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => fetched(load), name);

const approvals = later(() => import('./pages/approvals/approvals.tsx'), 'Approvals');
const conversations = later(
  () => import('./pages/conversations/conversations.tsx'),
  'Conversations',
);
const conversation = later(() => import('./pages/conversations/conversation.tsx'), 'Conversation');
const chats = later(() => import('./pages/chats/chats.tsx'), 'Chats');
const assistant = later(() => import('./pages/assistant/assistant.tsx'), 'Assistant');
const schedules = later(() => import('./pages/schedules/schedules.tsx'), 'Schedules');
const people = later(() => import('./pages/people/people.tsx'), 'People');
const groups = later(() => import('./pages/groups/groups.tsx'), 'Groups');
const search = later(() => import('./pages/search/search.tsx'), 'Search');
const ledger = later(() => import('./pages/ledger/ledger.tsx'), 'Ledger');
const tools = later(() => import('./pages/tools/tools.tsx'), 'Tools');
const settings = later(() => import('./pages/settings/settings.tsx'), 'Settings');

const routeTree = root.addChildren([
  listed('/', Home, readHomeSearch),
  listed('/approvals', approvals, readApprovalsSearch),
  listed('/approvals/$id', approvals, readApprovalsSearch),
  listed('/conversations', conversations, readConversationsSearch),
  listed('/conversations/$id', conversation, readConversationSearch),
  listed('/chats', chats, readChatsSearch),
  listed('/chats/$id', chats, readChatsSearch),
  listed('/assistant', assistant, readAssistantAddress),
  listed('/schedules', schedules, readSchedulesSearch),
  listed('/people', people, readPeopleSearch),
  listed('/groups', groups, readGroupsView),
  listed('/groups/$id', groups, readGroupsView),
  listed('/search', search, readSearchAddress),
  listed('/ledger', ledger, readLedgerSearch),
  listed('/ledger/$row', ledger, readLedgerSearch),
  page('/tools', tools),
  page('/settings', settings),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
