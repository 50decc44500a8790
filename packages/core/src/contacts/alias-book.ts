// Who is who: every alias belongs to exactly one contact. Each stanza that names a person by several
// aliases is learnt here; the store applies the merges. An alias not in the book is nobody: denied.
import type { ContactId } from '@relay/contract/ids';
import { type Alias, aliasKey, distinctAliases } from './alias.ts';
import { type Grant, isGrantWithin, narrowestGrant } from './grants.ts';

export interface AliasBook {
  readonly contacts: ReadonlyMap<ContactId, Contact>;
  /** From `aliasKey` to the contact that has the alias. */
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
 * Takes note that the aliases given all name one person. `fresh` is the id of a contact not yet in
 * the book, used when none of the aliases is known. A store need only hand in the contacts that the
 * aliases touch.
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

// Two contacts turn out to be one person. The merged contact has all aliases of both and what both
// were allowed: nothing where either had no grant. So no alias is ever allowed more than before.
//
// Why "no grant" counts as a no: it is what the owner sees as denied, and may have left so on
// purpose. If it counted as "no opinion", whoever could make WhatsApp claim that two identities are
// one would carry a friend's grant over to a stranger. The price is that a grant given to a phone
// number falls when its LID had been met before as somebody else; `withdrawn` says so, and the owner
// restores it with one yes. A LID first met together with the number costs nothing: it is a further
// alias of the granted contact, not a second contact.

export interface Contact {
  readonly id: ContactId;
  readonly aliases: readonly Alias[];
  /** Null means that the owner has granted nothing. */
  readonly grant: Grant | null;
}

export interface ContactMerge {
  readonly into: ContactId;
  readonly from: ContactId;
  readonly grant: Grant | null;
  /** The grants that allowed more than the merged one does: what the owner may want to restore. */
  readonly withdrawn: readonly Grant[];
}

/** The lower id survives, so that the order of discovery does not decide who is who. */
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
