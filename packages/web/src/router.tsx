// The console's routes: one for each page that core lists. Home is part of the first script; every other page is loaded
// on its first visit.
import type { ConsolePage } from '@relay/core/console/pages';
import {
  type AnyValidator,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router';
import { BASE_PATH } from './data/account.ts';
import { loadWhenReachable } from './data/lazy-load.ts';
import { type Area, loadMessages } from './i18n.ts';
import { HomeScreen } from './pages/home/home.tsx';
import {
  readApprovalsSearch,
  readAssistantSearch,
  readChatsSearch,
  readConversationSearch,
  readConversationsSearch,
  readGroupsSearch,
  readHomeSearch,
  readLedgerSearch,
  readPeopleSearch,
  readSchedulesSearch,
  readSearchAddress,
} from './search-params.ts';
import { ErrorPage, NotFoundPage } from './shell/error-pages.tsx';
import { ConsoleShell } from './shell/shell.tsx';

const root = createRootRoute({
  component: ConsoleShell,
  errorComponent: ErrorPage,
  notFoundComponent: NotFoundPage,
});

const at = <Path extends ConsolePage>(path: Path, component: RouteComponent) => ({
  getParentRoute: () => root,
  path,
  component,
  errorComponent: ErrorPage,
});
const page = <Path extends ConsolePage>(path: Path, component: RouteComponent) =>
  createRoute(at(path, component));

/** A route whose filters are in the address. */
const listed = <Path extends ConsolePage, Search extends AnyValidator>(
  path: Path,
  component: RouteComponent,
  validateSearch: Search,
) => createRoute({ ...at(path, component), validateSearch });

/** A page that is loaded on its first visit, together with its texts. */
const later = <Screens extends Record<string, unknown>>(
  area: Area,
  load: () => Promise<Screens>,
  name: keyof Screens,
): RouteComponent =>
  lazyRouteComponent(
    () =>
      loadWhenReachable(() => Promise.all([load(), loadMessages(area)])).then(
        ([screens]) => screens,
      ),
    name,
  );

const approvals = later(
  'approvals',
  () => import('./pages/approvals/approvals.tsx'),
  'ApprovalsScreen',
);
const inbox = later('home', () => import('./pages/inbox/inbox.tsx'), 'InboxScreen');
const conversations = later(
  'conversations',
  () => import('./pages/conversations/conversations.tsx'),
  'ConversationsScreen',
);
const conversation = later(
  'conversations',
  () => import('./pages/conversations/one/conversation.tsx'),
  'ConversationScreen',
);
const chats = later('chats', () => import('./pages/chats/chats.tsx'), 'ChatsScreen');
const assistant = later(
  'assistant',
  () => import('./pages/assistant/assistant.tsx'),
  'AssistantScreen',
);
const schedules = later(
  'schedules',
  () => import('./pages/schedules/schedules.tsx'),
  'SchedulesScreen',
);
const people = later('people', () => import('./pages/people/people.tsx'), 'PeopleScreen');
const groups = later('groups', () => import('./pages/groups/groups.tsx'), 'GroupsScreen');
const search = later('search', () => import('./pages/search/search.tsx'), 'SearchScreen');
const ledger = later('ledger', () => import('./pages/ledger/ledger.tsx'), 'LedgerScreen');
const tools = later('tools', () => import('./pages/tools/tools.tsx'), 'ToolsScreen');
const settings = later('settings', () => import('./pages/settings/settings.tsx'), 'SettingsScreen');

const routeTree = root.addChildren([
  listed('/', HomeScreen, readHomeSearch),
  listed('/approvals', approvals, readApprovalsSearch),
  listed('/approvals/$id', approvals, readApprovalsSearch),
  page('/inbox', inbox),
  listed('/conversations', conversations, readConversationsSearch),
  listed('/conversations/$id', conversation, readConversationSearch),
  listed('/chats', chats, readChatsSearch),
  listed('/chats/$id', chats, readChatsSearch),
  listed('/assistant', assistant, readAssistantSearch),
  listed('/schedules', schedules, readSchedulesSearch),
  listed('/people', people, readPeopleSearch),
  listed('/groups', groups, readGroupsSearch),
  listed('/groups/$id', groups, readGroupsSearch),
  listed('/search', search, readSearchAddress),
  listed('/ledger', ledger, readLedgerSearch),
  listed('/ledger/$row', ledger, readLedgerSearch),
  page('/tools', tools),
  page('/settings', settings),
]);

export const router = createRouter({
  routeTree,
  basepath: BASE_PATH,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
