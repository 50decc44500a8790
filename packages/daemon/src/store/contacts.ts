// Who is who, as rows. The rules are core's (`learn`, `mergeContacts`); here the contacts that a sighting
// touches are read, and what was learnt is written. Invariant: an alias has one contact, and no alias is
// ever allowed more than before.
import { randomUUID } from 'node:crypto';
import { type Alias, aliasKey, aliasOfJid, distinct } from '@relay/core/contacts/alias';
import { type AliasBook, aliasBook, contactOf, learn } from '@relay/core/contacts/book';
import type { Grant } from '@relay/core/contacts/grants';
import type { Contact, Merge } from '@relay/core/contacts/merge';
import type { AccountId, ContactId } from '@relay/core/ids';
import { contactId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Reader, Transaction } from './database.ts';
import { fenced } from './fenced.ts';
import type { Lease } from './lease.ts';
import { lockWorkInProgress } from './merge/lock.ts';
import { applyMerge } from './merge/merge.ts';

/** Addresses that name one person. None of them need be known. */
export type Sighting = readonly Alias[];

/** Those of the addresses that name a person, each once. */
export const aliasesOf = (addresses: readonly string[]): Alias[] =>
  distinct(addresses.map(aliasOfJid).filter((alias) => alias !== null));

/** Takes note of every sighting, in order, and says which contact each one is. None may be empty. */
export async function meet(
  tx: Transaction,
  account: AccountId,
  sightings: readonly Sighting[],
): Promise<readonly ContactId[]> {
  const aliases = distinct(sightings.flat());
  if (aliases.length === 0) return [];
  let known = await readBook(tx, account, aliases);
  let learnt = learnAll(known, sightings);
  if (learnt.book !== known) {
    await waitForLearners(tx, account);
    known = await readBook(tx, account, aliases);
    learnt = learnAll(known, sightings);
    if (learnt.merges.length > 0) {
      // Held before they are read for good: what is merged must be what is there.
      const ids = [...known.contacts.keys()];
      await lockWorkInProgress(tx, account, ids, 'wait');
      await lockContacts(tx, account, ids);
      await lockWorkInProgress(tx, account, ids, 'nowait');
      known = await readBook(tx, account, aliases);
      learnt = learnAll(known, sightings);
    }
    await insertLearnt(tx, account, known, learnt);
    for (const merge of learnt.merges) await applyMerge(tx, account, merge);
  }
  return sightings.map(([alias]) => {
    const contact = alias === undefined ? null : contactOf(learnt.book, alias);
    if (contact === null) throw new Error('a sighting that names nobody');
    return contact.id;
  });
}

/** What the transport found out by itself: these addresses are one person. */
export async function learnAliases(
  db: Reader,
  lease: Lease,
  addresses: readonly string[],
): Promise<void> {
  const aliases = aliasesOf(addresses);
  if (aliases.length === 0) return;
  await fenced(db, lease, (tx) => meet(tx, lease.account, [aliases]));
}

/** Whoever makes contacts or chats waits here for whoever is at it, and then looks again. */
export async function waitForLearners(tx: Transaction, account: AccountId): Promise<void> {
  await sql`SELECT 1 FROM accounts WHERE id = ${account} FOR NO KEY UPDATE`.execute(tx);
}

interface Learnt {
  readonly book: AliasBook;
  readonly merges: readonly Merge[];
}

function learnAll(before: AliasBook, sightings: readonly Sighting[]): Learnt {
  let book = before;
  const merges: Merge[] = [];
  for (const sighting of sightings) {
    if (isKnown(book, sighting)) continue;
    const learnt = learn(book, sighting, contactId(randomUUID()));
    book = learnt.book;
    merges.push(...learnt.merges);
  }
  return { book, merges };
}

function isKnown(book: AliasBook, sighting: Sighting): boolean {
  const owners = new Set(sighting.map((alias) => book.owners.get(aliasKey(alias))));
  return owners.size === 1 && !owners.has(undefined);
}

interface BookRow {
  id: ContactId;
  kind: Alias['kind'];
  value: string;
  grant: Grant | null;
}

/** The contacts that have any of the aliases, each with all of its own. */
async function readBook(
  tx: Transaction,
  account: AccountId,
  aliases: readonly Alias[],
): Promise<AliasBook> {
  const { rows } = await sql<BookRow>`
    SELECT a.contact_id AS id, a.kind, a.value, CASE WHEN g.id IS NOT NULL THEN json_build_object(
      'canRead', g.can_read, 'canReply', g.can_reply,
      'replyMode', g.reply_mode, 'canInitiate', g.can_initiate) END AS grant
    FROM contact_aliases a
      LEFT JOIN grants g ON g.account_id = a.account_id AND g.contact_id = a.contact_id
    WHERE a.account_id = ${account} AND a.contact_id IN (
      SELECT known.contact_id FROM contact_aliases known
        JOIN unnest(${aliases.map((alias) => alias.kind)}::text[],
          ${aliases.map((alias) => alias.value)}::text[]) AS seen(kind, value) USING (kind, value)
      WHERE known.account_id = ${account})
    ORDER BY a.learnt_at, a.kind, a.value`.execute(tx);
  const contacts = new Map<ContactId, Contact>();
  for (const { id, kind, value, grant } of rows) {
    const known = contacts.get(id)?.aliases ?? [];
    // Only what `aliasOfJid` or `phoneAlias` made is ever written.
    contacts.set(id, { id, aliases: [...known, { kind, value } as Alias], grant });
  }
  return aliasBook(contacts.values());
}

async function lockContacts(
  tx: Transaction,
  account: AccountId,
  ids: readonly ContactId[],
): Promise<void> {
  await sql`SELECT id FROM contacts WHERE account_id = ${account} AND id = ANY(${ids})
    ORDER BY id FOR UPDATE`.execute(tx);
  await sql`SELECT id FROM grants WHERE account_id = ${account} AND contact_id = ANY(${ids})
    ORDER BY id FOR UPDATE`.execute(tx);
}

/** New contacts and new aliases. An alias that changes hands belongs to a merge, which moves it. */
async function insertLearnt(
  tx: Transaction,
  account: AccountId,
  before: AliasBook,
  { book, merges }: Learnt,
): Promise<void> {
  // Also one that was merged away again at once: the merge is carried out as if it had been there.
  const all = new Set([
    ...book.contacts.keys(),
    ...merges.flatMap(({ into, from }) => [into, from]),
  ]);
  const fresh = [...all].filter((id) => !before.contacts.has(id));
  const aliases = [...book.contacts.values()].flatMap(({ id, aliases: theirs }) =>
    theirs
      .filter((alias) => !before.owners.has(aliasKey(alias)))
      .map(({ kind, value }) => ({ account_id: account, kind, value, contact_id: id })),
  );
  if (fresh.length > 0) {
    await sql`INSERT INTO contacts (account_id, id)
      SELECT ${account}::bigint, unnest(${fresh}::uuid[])`.execute(tx);
  }
  if (aliases.length > 0) {
    await sql`INSERT INTO contact_aliases (account_id, kind, value, contact_id)
      SELECT ${account}::bigint, * FROM unnest(${aliases.map((row) => row.kind)}::text[],
        ${aliases.map((row) => row.value)}::text[], ${aliases.map((row) => row.contact_id)}::uuid[])`.execute(
      tx,
    );
  }
}
