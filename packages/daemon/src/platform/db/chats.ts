// Finds or creates chats: one direct chat for each contact, one chat for each group. Created when first needed, in the
// caller's transaction.
import type { AccountId, ChatId, ContactId } from '@relay/contract/ids';
import { toStorableText } from '@relay/core/messages/text';
import type { GroupInfo, GroupName } from '@relay/core/ports/transport';
import { type RawBuilder, sql } from 'kysely';
import { aliasesOfAddresses, lockContactCreation, resolveSightings } from './contacts.ts';
import type { Db, Transaction } from './database.ts';
import type { Lease } from './lease.ts';
import { TransactionConflict, transaction } from './transaction.ts';

interface WantedChats {
  readonly contacts: readonly ContactId[];
  readonly groups: readonly string[];
}

interface FoundChats {
  readonly byContact: ReadonlyMap<ContactId, ChatId>;
  readonly byGroup: ReadonlyMap<string, ChatId>;
}

interface ChatRow {
  id: ChatId;
  contact_id: ContactId | null;
  group_address: string | null;
}

export async function findOrMakeChats(
  tx: Transaction,
  account: AccountId,
  wanted: WantedChats,
): Promise<FoundChats> {
  const found = await findChats(tx, account, wanted, allExist(account, wanted));
  if (isComplete(found, wanted)) return found;
  // A contact was merged away while this waited for a lock. Waiting for the account with contacts locked could
  // deadlock.
  if (found.byContact.size > 0) throw new TransactionConflict();
  await lockContactCreation(tx, account);
  const { byContact, byGroup } = await findChats(tx, account, wanted);
  const contacts = [...new Set(wanted.contacts)].filter((contact) => !byContact.has(contact));
  const groups = [...new Set(wanted.groups)].filter((address) => !byGroup.has(address));
  await sql`
    INSERT INTO chats (account_id, kind, contact_id, group_address)
    SELECT ${account}::bigint, 'direct', contact, NULL FROM unnest(${contacts}::uuid[]) AS contact
    UNION ALL SELECT ${account}::bigint, 'group', NULL, address FROM unnest(${groups}::text[]) AS address`.execute(
    tx,
  );
  return findChats(tx, account, wanted);
}

const isComplete = (
  { byContact, byGroup }: FoundChats,
  { contacts, groups }: WantedChats,
): boolean =>
  contacts.every((contact) => byContact.has(contact)) &&
  groups.every((address) => byGroup.has(address));

/** If one is missing, nothing is locked: a merge locks the account before the contacts. */
const allExist = (
  account: AccountId,
  { contacts, groups }: WantedChats,
): RawBuilder<boolean> => sql`
  NOT EXISTS (SELECT FROM unnest(${contacts}::uuid[]) AS w(id) WHERE NOT EXISTS (
    SELECT FROM chats c WHERE c.account_id = ${account} AND c.contact_id = w.id))
  AND NOT EXISTS (SELECT FROM unnest(${groups}::text[]) AS w(address) WHERE NOT EXISTS (
    SELECT FROM chats c WHERE c.account_id = ${account} AND c.group_address = w.address))`;

/**
 * Locks until the transaction ends, the contact before the chat: a merge locks in the same order and so waits for
 * transactions that write into one of the chats.
 */
async function findChats(
  tx: Transaction,
  account: AccountId,
  { contacts, groups }: WantedChats,
  condition: RawBuilder<boolean> = sql`true`,
): Promise<FoundChats> {
  const { rows } = await sql<ChatRow>`
    WITH people AS MATERIALIZED (SELECT id FROM contacts
        WHERE account_id = ${account} AND id = ANY(${contacts}::uuid[]) AND ${condition} ORDER BY id FOR KEY SHARE),
      direct AS MATERIALIZED (SELECT id, contact_id, group_address FROM chats
        WHERE account_id = ${account} AND contact_id IN (SELECT id FROM people) ORDER BY id FOR KEY SHARE)
    SELECT id, contact_id, group_address FROM direct
    UNION ALL SELECT id, contact_id, group_address FROM chats
      WHERE account_id = ${account} AND group_address = ANY(${groups}::text[])`.execute(tx);
  return groupFoundChats(rows);
}

function groupFoundChats(rows: readonly ChatRow[]): FoundChats {
  const byContact = new Map<ContactId, ChatId>();
  const byGroup = new Map<string, ChatId>();
  for (const { id, contact_id, group_address } of rows) {
    if (contact_id !== null) byContact.set(contact_id, id);
    if (group_address !== null) byGroup.set(group_address, id);
  }
  return { byContact, byGroup };
}

/** Stores what the transport knows of a group: its subject, its current members, its timer. */
export async function noteGroup(db: Db, lease: Lease, group: GroupInfo): Promise<void> {
  const { account } = lease;
  const members = group.members
    .map(({ addresses, role }) => ({ person: aliasesOfAddresses(addresses), role }))
    .filter(({ person }) => person.length > 0);
  await transaction({ db, lease }, async ({ tx }) => {
    const { byGroup } = await findOrMakeChats(tx, account, {
      contacts: [],
      groups: [group.address],
    });
    const chat = byGroup.get(group.address);
    await sql`UPDATE chats SET subject = ${toStorableText(group.subject)}, expires_after_s = ${group.expiresAfterS}
      WHERE account_id = ${account} AND id = ${chat}`.execute(tx);
    const contacts = await resolveSightings(
      tx,
      account,
      members.map(({ person }) => person),
    );
    const roles = new Map<ContactId, string>();
    contacts.forEach((contact, i) => {
      const role = members[i]?.role ?? 'member';
      if (roles.get(contact) !== 'admin') roles.set(contact, role);
    });
    await sql`DELETE FROM chat_members
      WHERE account_id = ${account} AND chat_id = ${chat} AND contact_id <> ALL(${[...roles.keys()]}::uuid[])`.execute(
      tx,
    );
    await sql`INSERT INTO chat_members (account_id, chat_id, contact_id, role)
      SELECT ${account}::bigint, ${chat}::uuid, * FROM unnest(${[...roles.keys()]}::uuid[], ${[...roles.values()]}::text[])
      ON CONFLICT (account_id, chat_id, contact_id) DO UPDATE SET role = excluded.role`.execute(tx);
  });
}

/** Stores the names of groups. Members are loaded when they are needed: a group may have thousands. */
export async function noteGroupNames(
  db: Db,
  lease: Lease,
  groups: readonly GroupName[],
): Promise<void> {
  const { account } = lease;
  const addresses = groups.map(({ address }) => address);
  await transaction({ db, lease }, async ({ tx }) => {
    await findOrMakeChats(tx, account, { contacts: [], groups: addresses });
    await sql`UPDATE chats c SET subject = n.subject
      FROM unnest(${addresses}::text[], ${groups.map(({ subject }) => toStorableText(subject))}::text[]) AS n(address, subject)
      WHERE c.account_id = ${account} AND c.group_address = n.address AND c.subject IS DISTINCT FROM n.subject`.execute(
      tx,
    );
  });
}
