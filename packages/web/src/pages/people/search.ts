// What the page's address says: whom the table shows, and whose details are open. Pure. Whatever an address holds that
// is not known here is left out, so that no link can break the page.
import type { ContactsShown } from '@relay/core/api/contacts';

export interface PeopleSearch {
  readonly show?: ContactsShown | undefined;
  readonly q?: string | undefined;
  /** From 1, which is left out. */
  readonly page?: number | undefined;
  /** Whose details are open. */
  readonly who?: string | undefined;
}

/** What the table shows when the address does not say: those who are open. */
export const USUAL: ContactsShown = 'open';
// Said again, because the schemas would come with the first load; the type sees to it that these are some of theirs.
const SHOWN: readonly ContactsShown[] = [
  ...(['all', 'closed', 'recorded'] as const),
  ...(['read', 'reply', 'auto', 'start', 'conversation'] as const),
];
const LONGEST = 200;

export function readPeopleSearch(raw: Readonly<Record<string, unknown>>): PeopleSearch {
  const show = SHOWN.find((shown) => shown === raw.show);
  // The router reads numbers as numbers, and people look for numbers.
  const q = isWord(raw.q) ? String(raw.q).slice(0, LONGEST) : '';
  const page = Number(raw.page);
  const who = isWord(raw.who) ? String(raw.who) : '';
  return {
    ...(show === undefined ? {} : { show }),
    ...(q === '' ? {} : { q }),
    ...(Number.isInteger(page) && page > 1 ? { page } : {}),
    ...(/^[0-9a-f-]{36}$/i.test(who) ? { who } : {}),
  };
}

const isWord = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';
