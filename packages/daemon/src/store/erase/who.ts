// Whom an erasure is about: a person with every name and address they are known under, or a chat. Read once,
// before anything goes, because afterwards nobody could tell any more what was theirs.
import type { AccountId, ChatId, ContactId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';

export interface Person {
  readonly kind: 'person';
  /** Null for somebody whom only notifications or an exported chat name. */
  readonly contact: ContactId | null;
  /** The chat with them alone. */
  readonly chat: ChatId | null;
  /** Groups they are in or wrote in. */
  readonly groups: readonly ChatId[];
  readonly names: readonly string[];
  /** Numbers and LIDs, in digits. */
  readonly addresses: readonly string[];
}

export interface Group {
  readonly kind: 'group';
  readonly chat: ChatId;
  readonly name: string | null;
  readonly address: string;
}

export type Whom = Person | Group;

interface PersonRow {
  chat: ChatId | null;
  names: (string | null)[];
  addresses: string[];
  groups: ChatId[];
  self: boolean;
}

/** Null when there is no such contact; `self` when it is the linked account's own. */
export async function readPerson(
  db: Reader,
  account: AccountId,
  contact: ContactId,
): Promise<Person | 'self' | null> {
  const { rows } = await sql<PersonRow>`
    SELECT c.id AS chat, ARRAY[g.display_name, p.display_name, p.push_name] AS names,
      ARRAY(SELECT value FROM contact_aliases a WHERE a.account_id = p.account_id AND a.contact_id = p.id) AS addresses,
      ARRAY(SELECT m.chat_id FROM chat_members m WHERE m.account_id = p.account_id AND m.contact_id = p.id
        UNION SELECT m.chat_id FROM messages m JOIN chats k ON k.account_id = m.account_id AND k.id = m.chat_id
        WHERE m.account_id = p.account_id AND m.sender_id = p.id AND k.kind = 'group') AS groups,
      EXISTS (SELECT FROM accounts o JOIN contact_aliases s ON s.account_id = o.id AND s.contact_id = p.id
        AND s.value = CASE s.kind WHEN 'phone' THEN o.phone ELSE o.lid END WHERE o.id = p.account_id) AS self
    FROM contacts p LEFT JOIN chats c ON c.account_id = p.account_id AND c.contact_id = p.id
      LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
    WHERE p.account_id = ${account} AND p.id = ${contact}`.execute(db);
  const row = rows[0];
  if (row === undefined) return null;
  if (row.self) return 'self';
  const names = [...new Set(row.names.filter((name) => name !== null))];
  return { kind: 'person', contact, ...row, names };
}

/** Somebody without an address: only what stands under this very name is theirs. */
export async function readNamed(
  db: Reader,
  account: AccountId,
  name: string,
): Promise<Person | null> {
  const { rows } = await sql<{ chat: ChatId }>`
    SELECT DISTINCT chat_id AS chat FROM messages
    WHERE account_id = ${account} AND sender_id IS NULL AND sender_name = ${name}`.execute(db);
  if (rows.length === 0) return null;
  const groups = rows.map((row) => row.chat);
  return { kind: 'person', contact: null, chat: null, groups, names: [name], addresses: [] };
}

export async function readGroup(
  db: Reader,
  account: AccountId,
  chat: ChatId,
): Promise<Group | null> {
  const { rows } = await sql<{ name: string | null; address: string }>`
    SELECT coalesce(g.display_name, c.subject) AS name, c.group_address AS address
    FROM chats c LEFT JOIN grants g ON g.account_id = c.account_id AND g.chat_id = c.id
    WHERE c.account_id = ${account} AND c.id = ${chat} AND c.kind = 'group'`.execute(db);
  return rows[0] === undefined ? null : { kind: 'group', chat, ...rows[0] };
}

/** The person or the group of this chat. */
export async function readChat(
  db: Reader,
  account: AccountId,
  chat: ChatId,
): Promise<Whom | 'self' | null> {
  const { rows } = await sql<{ contact: ContactId | null }>`
    SELECT contact_id AS contact FROM chats WHERE account_id = ${account} AND id = ${chat}`.execute(
    db,
  );
  if (rows[0] === undefined) return null;
  const { contact } = rows[0];
  return contact === null ? readGroup(db, account, chat) : readPerson(db, account, contact);
}
