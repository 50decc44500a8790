// Stores who is who. The rules are in core (`linkAliases`, `mergeContacts`); this file reads the contacts that a
// sighting concerns and writes what was learnt. Invariant: an alias has one contact, and no alias ever gets more rights
// than before.
import { randomUUID } from 'node:crypto';
import { type AccountId, type ContactId, contactId } from '@relay/contract/ids';
import {
  type Alias,
  type AliasBook,
  aliasBook,
  aliasKey,
  aliasOfJid,
  type Contact,
  type ContactMerge,
  contactWithAlias,
  distinctAliases,
  linkAliases,
} from '@relay/core/contacts/alias';
import type { Grant } from '@relay/core/contacts/grants';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Transaction } from './database.ts';
import type { Lease } from './lease.ts';
import { applyContactMerge, lockWorkInProgress } from './merge/merge.ts';
import { transaction } from './transaction.ts';

/** Addresses that belong to one person. None of them need be known. */
export type Sighting = readonly Alias[];

/** The addresses that belong to a person, without duplicates. */
export const aliasesOfAddresses = (addresses: readonly string[]): Alias[] =>
  distinctAliases(addresses.map(aliasOfJid).filter((alias) => alias !== null));

/** Records every sighting, in order, and returns the contact of each. None may be empty. */
export async function resolveSightings(
  tx: Transaction,
  account: AccountId,
  sightings: readonly Sighting[],
): Promise<readonly ContactId[]> {
  const aliases = distinctAliases(sightings.flat());
  if (aliases.length === 0) return [];
  let known = await readBook(tx, account, aliases);
  let learnt = learnAll(known, sightings);
  if (learnt.book !== known) {
    await lockContactCreation(tx, account);
    known = await readBook(tx, account, aliases);
    learnt = learnAll(known, sightings);
    if (learnt.merges.length > 0) {
      // Locked before the final read: the merge must work on what is stored.
      const ids = [...known.contacts.keys()];
      await lockWorkInProgress(tx, account, ids, 'wait');
      await lockContacts(tx, account, ids);
      await lockWorkInProgress(tx, account, ids, 'nowait');
      known = await readBook(tx, account, aliases);
      learnt = learnAll(known, sightings);
    }
    await insertLearnt(tx, account, known, learnt);
    for (const merge of learnt.merges) await applyContactMerge(tx, account, merge);
  }
  return sightings.map(([alias]) => {
    const contact = alias === undefined ? null : contactWithAlias(learnt.book, alias);
    if (contact === null) throw new Error('a sighting that names nobody');
    return contact.id;
  });
}

/** The transport found out that these addresses belong to one person. */
export async function noteAliases(
  db: Db,
  lease: Lease,
  addresses: readonly string[],
): Promise<void> {
  const aliases = aliasesOfAddresses(addresses);
  if (aliases.length === 0) return;
  await transaction({ db, lease }, ({ tx }) => resolveSightings(tx, lease.account, [aliases]));
}

/** Serializes the creation of contacts and chats; callers read again afterwards. */
export async function lockContactCreation(tx: Transaction, account: AccountId): Promise<void> {
  await sql`SELECT 1 FROM accounts WHERE id = ${account} FOR NO KEY UPDATE`.execute(tx);
}

interface LearntAliases {
  readonly book: AliasBook;
  readonly merges: readonly ContactMerge[];
}

function learnAll(before: AliasBook, sightings: readonly Sighting[]): LearntAliases {
  let book = before;
  const merges: ContactMerge[] = [];
  for (const sighting of sightings) {
    if (isKnown(book, sighting)) continue;
    const learnt = linkAliases(book, sighting, contactId(randomUUID()));
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

/** The contacts that have any of the aliases, each with all of its aliases. */
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
    // Only what `aliasOfJid` or `phoneAlias` created is ever written.
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

/** Inserts new contacts and aliases. An alias that changes its contact is moved by a merge. */
async function insertLearnt(
  tx: Transaction,
  account: AccountId,
  before: AliasBook,
  { book, merges }: LearntAliases,
): Promise<void> {
  // Includes a contact that was merged away immediately: the merge is carried out as if it had existed.
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

// Stores WhatsApp's answers about phone numbers: whether they are registered. A positive answer is kept for good; after
// a negative one WhatsApp is asked again, because the person may have joined since.

export type NumberRegistration = 'registered' | 'unregistered' | 'unknown';

/** How long a negative answer is valid. */
const UNREGISTERED_VALID_MS = 10 * 60_000;

/**
 * For the person of a row with `account_id` and `contact_id`. Whoever has a LID or is in a group is registered: that
 * information came from WhatsApp.
 */
export const numberRegistrationSql = (
  of: RawBuilder<unknown>,
  now: Date,
): RawBuilder<NumberRegistration> => {
  const since = new Date(now.getTime() - UNREGISTERED_VALID_MS);
  return sql<NumberRegistration>`(SELECT CASE
      WHEN bool_or(n.kind = 'lid' OR n.is_registered IS TRUE) OR EXISTS (SELECT FROM chat_members m
        WHERE m.account_id = ${of}.account_id AND m.contact_id = ${of}.contact_id) THEN 'registered'
      WHEN bool_and(n.is_registered IS FALSE AND n.asked_at > ${since}) THEN 'unregistered'
      ELSE 'unknown' END
    FROM contact_aliases n WHERE n.account_id = ${of}.account_id AND n.contact_id = ${of}.contact_id)`;
};

interface NumberRegistrationCheck {
  /** The address that was asked about. */
  readonly asked: string;
  /**
   * The address that WhatsApp knows the person by: the same, another spelling of the number, or a LID; null: nobody.
   */
  readonly found: string | null;
  readonly at: Date;
}

export async function noteNumberRegistration(
  db: Db,
  lease: Lease,
  { asked, found, at }: NumberRegistrationCheck,
): Promise<void> {
  const { account } = lease;
  const known = found === null ? null : aliasOfJid(found);
  const aliases = aliasesOfAddresses(found === null ? [asked] : [asked, found]);
  const numbers = aliases.flatMap(({ kind, value }) => (kind === 'phone' ? [value] : []));
  await transaction({ db, lease }, async ({ tx }) => {
    await resolveSightings(tx, account, [aliases]);
    await sql`UPDATE contact_aliases SET asked_at = ${at},
        is_registered = ${known !== null} AND (${known?.kind ?? null}::text = 'lid' OR value = ${known?.value ?? null})
      WHERE account_id = ${account} AND kind = 'phone' AND value = ANY(${numbers}::text[])`.execute(
      tx,
    );
  });
}
