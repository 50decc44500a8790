// Resolves the name that a phone shows next to a message: the chat's members with that name or number. It never
// guesses: two people with one name are both returned, and an unknown name is nobody's.

import type { ContactId } from '@relay/contract/ids';
import { foldName } from '../contacts/match.ts';
import { readPhoneNumber } from '../contacts/phone-number.ts';

export interface NamedPerson {
  readonly id: ContactId;
  readonly names: readonly string[];
  /** In digits. */
  readonly numbers: readonly string[];
}

const UNSEEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

/** WhatsApp puts a tilde before profile names. */
export const cleanShownName = (name: string): string =>
  name.replace(UNSEEN, '').replace(/\s+/gu, ' ').trim().replace(/^~ ?/, '');

export type NameResolver = (shown: string) => ReadonlySet<ContactId>;

export function createNameResolver(
  people: readonly NamedPerson[],
  ownNumber: string | null,
): NameResolver {
  const byName = new Map<string, Set<ContactId>>();
  const byNumber = new Map<string, Set<ContactId>>();
  for (const { id, names, numbers } of people) {
    for (const name of names) note(byName, foldName(cleanShownName(name)), id);
    for (const number of numbers) note(byNumber, number, id);
  }
  return (shown) => {
    const name = cleanShownName(shown);
    const number = readPhoneNumber(name, ownNumber);
    return (
      byName.get(foldName(name)) ??
      (number === null ? undefined : byNumber.get(number)) ??
      new Set()
    );
  };
}

function note(known: Map<string, Set<ContactId>>, key: string, id: ContactId): void {
  const ids = known.get(key) ?? new Set();
  known.set(key, ids.add(id));
}

/** The only contact, if there is exactly one. */
export function onlyContactIn(ids: ReadonlySet<ContactId>): ContactId | null {
  const [first] = ids;
  return ids.size === 1 && first !== undefined ? first : null;
}

const COUNTED = /(?<!\s)\s*\(\d+[^()]*\)$/u;

/** The groups with this name; a phone may append the number of waiting messages: "Family (3 messages)". */
export function findGroupsByName<G extends { readonly subject: string }>(
  groups: readonly G[],
  shown: string,
): readonly G[] {
  const name = cleanShownName(shown);
  for (const wanted of [name, name.replace(COUNTED, '')]) {
    const alike = groups.filter(
      ({ subject }) => foldName(cleanShownName(subject)) === foldName(wanted),
    );
    const exact = alike.filter(({ subject }) => cleanShownName(subject) === wanted);
    if (exact.length === 1) return exact;
    if (alike.length > 0) return alike;
  }
  return [];
}
