// The paths of the console's pages: the console has a route for each, and the daemon serves the same document at each.
// Any other path stays behind the daemon's guard.

export const CONSOLE_PAGES = [
  '/',
  '/approvals',
  '/approvals/$id',
  '/inbox',
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

/** A placeholder in the built document that each response replaces with its nonce. */
export const PAGE_NONCE = '__RELAY_NONCE__';
