// Who is meant by what somebody typed. Nobody is chosen where two fit: the candidates are shown instead.
import type { FoundContacts, ListedContact } from '@relay/core/api/contacts';
import type { Client } from '@relay/core/client/client';
import { RelayError } from '@relay/core/errors';
import { oneLine, phone } from '../format.ts';

const SHOWN = 5;
const GROUP = /^\d+(-\d+)?@g\.us$/;

/** Somebody known, or somebody new by their number or address. */
export type Meant =
  | { readonly known: ListedContact }
  | { readonly phoneNumber: string }
  | { readonly group: string };

export async function whoIsMeant(
  client: Client,
  given: string | undefined,
  kind: 'person' | 'group' | 'all',
): Promise<Meant> {
  const query = given?.trim() ?? '';
  if (query === '') throw new RelayError('usage', { what: 'Say who: a name or a phone number.' });
  const found = await client.get('/api/contacts', { query: { query, kind, limit: SHOWN + 1 } });
  const known = found.contacts.find(({ id }) => id === found.meant);
  if (known !== undefined) return { known };
  if (found.number !== null && kind !== 'group') return { phoneNumber: found.number };
  if (GROUP.test(query)) return { group: query };
  throw unclear(oneLine(query), found);
}

export async function somebodyKnown(
  client: Client,
  given: string | undefined,
  kind: 'person' | 'group' | 'all',
): Promise<ListedContact> {
  const meant = await whoIsMeant(client, given, kind);
  if ('known' in meant) return meant.known;
  throw new RelayError('contact_unknown', { who: oneLine(given ?? '') });
}

function unclear(who: string, { contacts }: FoundContacts): RelayError {
  if (contacts.length === 0) return new RelayError('contact_unknown', { who });
  const candidates = [
    ...contacts.slice(0, SHOWN).map(nameAndAddress),
    ...(contacts.length > SHOWN ? ['…'] : []),
  ].join(', ');
  return new RelayError('contact_ambiguous', { who, candidates });
}

export const addressOf = ({ phone_number: digits, jid }: ListedContact): string =>
  digits === null ? oneLine(jid ?? 'no address') : phone(digits);

export function nameAndAddress(contact: ListedContact): string {
  const address = addressOf(contact);
  return contact.name === null ? address : `${oneLine(contact.name)} (${address})`;
}
