// The console's pages by their paths: the router of the console has a route for each, and the daemon serves the same
// document at each. Any other path stays behind the daemon's guard.

export const CONSOLE_PAGES = [
  '/',
  '/approvals',
  '/approvals/$id',
  '/conversations',
  '/conversations/$id',
  '/chats',
  '/chats/$id',
  '/assistant',
  '/schedules',
  '/people',
  '/groups',
  '/groups/$id',
  '/search',
  '/ledger',
  '/ledger/$row',
  '/tools',
  '/settings',
] as const;

export type ConsolePage = (typeof CONSOLE_PAGES)[number];

/** Stands in the built document wherever the nonce of an answer belongs. */
export const PAGE_NONCE = '__RELAY_NONCE__';
