// Who is who: every alias belongs to exactly one contact. Each stanza that names a person by several
// aliases is learnt here; the store applies the merges. An alias not in the book is nobody: denied.
import type { ContactId } from '../ids.ts';
import { type Alias, aliasKey, distinct } from './alias.ts';
import { type Contact, type Merge, mergeContacts } from './merge.ts';

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

export function contactOf(book: AliasBook, alias: Alias): Contact | null {
  const id = book.owners.get(aliasKey(alias));
  return (id === undefined ? undefined : book.contacts.get(id)) ?? null;
}

/**
 * Takes note that the aliases given all name one person. `fresh` is the id of a contact not yet in
 * the book, used when none of the aliases is known. A store need only hand in the contacts that the
 * aliases touch.
 */
export function learn(
  book: AliasBook,
  aliases: readonly Alias[],
  fresh: ContactId,
): { book: AliasBook; merges: readonly Merge[] } {
  if (aliases.length === 0) return { book, merges: [] };
  const known = [...new Set(aliases.map((alias) => contactOf(book, alias)))]
    .filter((contact) => contact !== null)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  let [person = { id: fresh, aliases: [], grant: null }] = known;

  const merges: Merge[] = [];
  for (const other of known.slice(1)) {
    const { contact, merge } = mergeContacts(person, other);
    person = contact;
    merges.push(merge);
  }
  person = { ...person, aliases: distinct([...person.aliases, ...aliases]) };

  const untouched = [...book.contacts.values()].filter((contact) => !known.includes(contact));
  return { book: aliasBook([...untouched, person]), merges };
}
