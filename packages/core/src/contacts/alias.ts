// Parses the aliases by which WhatsApp identifies a person, and maps each alias to one contact. Text and JIDs from
// outside become an Alias only here. Anything uncertain is null, because a wrong guess would be another person.

import type { ContactId } from '@relay/contract/ids';
import { type Grant, isGrantWithin, narrowestGrant } from './grants.ts';

declare const canonical: unique symbol;

/** A phone number in digits, or a LID (WhatsApp's hidden id of a person). */
export interface Alias {
  readonly kind: 'phone' | 'lid';
  readonly value: string;
  readonly [canonical]: true;
}

/** An international number never begins with 0; a national one would be another person's. */
const PHONE = /^[1-9]\d{6,14}$/;
const LID = /^\d{1,20}$/;

const make = (kind: Alias['kind'], value: string): Alias | null =>
  (kind === 'phone' ? PHONE : LID).test(value) ? ({ kind, value } as Alias) : null;

/**
 * A phone number as people write it. Signs between the digits are dropped, but an address (`@`), a letter (an id, a
 * name) or a digit of another script is refused: dropping part of it would leave another number.
 */
export function phoneAlias(text: string): Alias | null {
  if (/[@\p{L}]|(?![0-9])\p{Nd}/u.test(text)) return null;
  return make('phone', text.replace(/\D/g, ''));
}

export const lidAlias = (digits: string): Alias | null => make('lid', digits);

/** `user[_agent][:device]@server`: agent and device identify a phone or a browser, not a person. */
const JID = /^(\d+)(?:_\d+)?(?::\d+)?@([a-z.]+)$/;

const KIND_OF_SERVER: Readonly<Partial<Record<string, Alias['kind']>>> = {
  's.whatsapp.net': 'phone',
  'c.us': 'phone',
  hosted: 'phone',
  lid: 'lid',
  'hosted.lid': 'lid',
};

/** Null for anything that is not a person: groups, broadcasts, channels, the server itself. */
export function aliasOfJid(jid: string): Alias | null {
  const [, user = '', server = ''] = JID.exec(jid) ?? [];
  const kind = Object.hasOwn(KIND_OF_SERVER, server) ? KIND_OF_SERVER[server] : undefined;
  return kind === undefined ? null : make(kind, user);
}

/** A string key for an alias, for maps and sets. */
export const aliasKey = (alias: Alias): string => `${alias.kind}:${alias.value}`;

/** The same aliases in the same order, each once. */
export const distinctAliases = (aliases: readonly Alias[]): Alias[] => [
  ...new Map(aliases.map((alias) => [aliasKey(alias), alias])).values(),
];

// Reads a phone number as people write it, or a JID. Null if it is uncertain.

const SERVERS = { phone: 's.whatsapp.net', lid: 'lid' } as const;
const GROUP = /^\d+(-\d+)?@g\.us$/;

export function recipientJid(text: string): string | null {
  const given = text.trim();
  if (GROUP.test(given)) return given;
  const alias = given.includes('@') ? aliasOfJid(given) : phoneAlias(given);
  return alias === null ? null : `${alias.value}@${SERVERS[alias.kind]}`;
}

// Maps every alias to exactly one contact. It learns from each stanza that names a person by several aliases; the store
// applies the merges. An unknown alias belongs to nobody and is denied.

export interface AliasBook {
  readonly contacts: ReadonlyMap<ContactId, Contact>;
  /** From `aliasKey` to the contact with that alias. */
  readonly owners: ReadonlyMap<string, ContactId>;
}

export function aliasBook(contacts: Iterable<Contact> = []): AliasBook {
  const byId = new Map<ContactId, Contact>();
  const owners = new Map<string, ContactId>();
  for (const contact of contacts) {
    byId.set(contact.id, contact);
    for (const alias of contact.aliases) owners.set(aliasKey(alias), contact.id);
  }
  return { contacts: byId, owners };
}

export function contactWithAlias(book: AliasBook, alias: Alias): Contact | null {
  const id = book.owners.get(aliasKey(alias));
  return (id === undefined ? undefined : book.contacts.get(id)) ?? null;
}

/**
 * Records that all given aliases belong to one person. `fresh` is the id for a new contact, used if none of the aliases
 * is known. The book only needs the contacts that these aliases touch.
 */
export function linkAliases(
  book: AliasBook,
  aliases: readonly Alias[],
  fresh: ContactId,
): { book: AliasBook; merges: readonly ContactMerge[] } {
  if (aliases.length === 0) return { book, merges: [] };
  const known = [...new Set(aliases.map((alias) => contactWithAlias(book, alias)))]
    .filter((contact) => contact !== null)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  let [person = { id: fresh, aliases: [], grant: null }] = known;

  const merges: ContactMerge[] = [];
  for (const other of known.slice(1)) {
    const { contact, merge } = mergeContacts(person, other);
    person = contact;
    merges.push(merge);
  }
  person = { ...person, aliases: distinctAliases([...person.aliases, ...aliases]) };

  const untouched = [...book.contacts.values()].filter((contact) => !known.includes(contact));
  return { book: aliasBook([...untouched, person]), merges };
}

// Merges two contacts that turn out to be one person. The merged contact has all aliases of both, and only what both
// were granted: nothing if either had no grant. So no alias is ever allowed more than before.
//
// A missing grant counts as a denial because the owner sees it as one and may have meant it. Otherwise, whoever could
// make WhatsApp claim that two identities are one could carry a friend's grant over to a stranger. The price: a grant
// for a phone number is lost if its LID was already known as another contact. `withdrawn` reports that, and the owner
// restores it with one approval. A LID first seen together with the number costs nothing: it becomes another alias of
// the granted contact, not a second contact.

export interface Contact {
  readonly id: ContactId;
  readonly aliases: readonly Alias[];
  /** Null if the owner has granted nothing. */
  readonly grant: Grant | null;
}

export interface ContactMerge {
  readonly into: ContactId;
  readonly from: ContactId;
  readonly grant: Grant | null;
  /** The grants that allowed more than the merged one, which the owner may want to restore. */
  readonly withdrawn: readonly Grant[];
}

/** The lower id survives, so that the result does not depend on the order of discovery. */
export function mergeContacts(a: Contact, b: Contact): { contact: Contact; merge: ContactMerge } {
  const [kept, gone] = a.id < b.id ? [a, b] : [b, a];
  const grant = narrowestGrant(kept.grant, gone.grant);
  const withdrawn = [kept.grant, gone.grant].filter(
    (held): held is Grant => held !== null && !isGrantWithin(held, grant),
  );
  return {
    contact: { id: kept.id, aliases: distinctAliases([...kept.aliases, ...gone.aliases]), grant },
    merge: { into: kept.id, from: gone.id, grant, withdrawn },
  };
}
