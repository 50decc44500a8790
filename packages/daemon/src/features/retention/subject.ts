// Determines whom an erasure is about: a person with all known names and addresses, or a chat. It is read once, before
// anything is erased, because afterwards it can no longer be determined.

import type { ErasedCounts } from '@relay/contract/api/retention';
import type { AccountId, ChatId, ContactId } from '@relay/contract/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

export interface PersonToErase {
  readonly kind: 'person';
  /** Null for somebody known only from notifications or an exported chat. */
  readonly contact: ContactId | null;
  /** The direct chat with them. */
  readonly chat: ChatId | null;
  /** Groups they are in or wrote in. */
  readonly groups: readonly ChatId[];
  readonly names: readonly string[];
  /** Numbers and LIDs, in digits. */
  readonly addresses: readonly string[];
}

interface GroupToErase {
  readonly kind: 'group';
  readonly chat: ChatId;
  readonly name: string | null;
  readonly address: string;
}

export type ErasureSubject = PersonToErase | GroupToErase;

interface PersonRow {
  chat: ChatId | null;
  names: (string | null)[];
  addresses: string[];
  groups: ChatId[];
  self: boolean;
}

/** Null when there is no such contact; `self` when it is the linked account's own. */
export async function findPersonToErase(
  db: Db,
  account: AccountId,
  contact: ContactId,
): Promise<PersonToErase | 'self' | null> {
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

/** For somebody without an address: only what is stored under exactly this name is theirs. */
export async function findNamedSenderToErase(
  db: Db,
  account: AccountId,
  name: string,
): Promise<PersonToErase | null> {
  const { rows } = await sql<{ chat: ChatId }>`
    SELECT DISTINCT chat_id AS chat FROM messages
    WHERE account_id = ${account} AND sender_id IS NULL AND sender_name = ${name}`.execute(db);
  if (rows.length === 0) return null;
  const groups = rows.map((row) => row.chat);
  return { kind: 'person', contact: null, chat: null, groups, names: [name], addresses: [] };
}

async function findGroupToErase(
  db: Db,
  account: AccountId,
  chat: ChatId,
): Promise<GroupToErase | null> {
  const { rows } = await sql<{ name: string | null; address: string }>`
    SELECT coalesce(g.display_name, c.subject) AS name, c.group_address AS address
    FROM chats c LEFT JOIN grants g ON g.account_id = c.account_id AND g.chat_id = c.id
    WHERE c.account_id = ${account} AND c.id = ${chat} AND c.kind = 'group'`.execute(db);
  return rows[0] === undefined ? null : { kind: 'group', chat, ...rows[0] };
}

/** The contact or the group of this chat. */
export async function findChatToErase(
  db: Db,
  account: AccountId,
  chat: ChatId,
): Promise<ErasureSubject | 'self' | null> {
  const { rows } = await sql<{ contact: ContactId | null }>`
    SELECT contact_id AS contact FROM chats WHERE account_id = ${account} AND id = ${chat}`.execute(
    db,
  );
  if (rows[0] === undefined) return null;
  const { contact } = rows[0];
  return contact === null
    ? findGroupToErase(db, account, chat)
    : findPersonToErase(db, account, contact);
}

// A pattern that finds a person in a text: names, first names and numbers, each as a whole word in scripts that
// separate words. Pure; the pattern is for PostgreSQL.

/** A shorter name would match almost every text. */
const MIN_NAME_LENGTH = 3;
/** Scripts without spaces between words. */
const NO_WORD_EDGES =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Khmer}/u;

/** Null when there is no name or number to search for. */
export function namePattern({
  names,
  addresses,
}: Pick<PersonToErase, 'names' | 'addresses'>): string | null {
  const words = names.flatMap((name) => [name.trim(), name.trim().split(/\s+/u)[0] ?? '']);
  const terms = new Set(
    [...words, ...addresses].filter(
      (word) => [...word].length >= MIN_NAME_LENGTH || NO_WORD_EDGES.test(word),
    ),
  );
  if (terms.size === 0) return null;
  return [...terms]
    .map((word) => (NO_WORD_EDGES.test(word) ? escaped(word) : edged(word)))
    .join('|');
}

const escaped = (word: string): string => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** `\m` and `\M` require a letter at the edge, which a name like "Mr. T." does not have. */
const edged = (word: string): string =>
  `(^|[^[:alnum:]])${escaped(word).replace(/\s+/gu, '\\s+')}($|[^[:alnum:]])`;

// Conditions for what belongs to the subject. The preview and the erasure use the same ones.

type Condition = RawBuilder<unknown>;
const MATCHES_NOTHING = sql`false`;

/** A condition on `messages m`. */
export function messagesOfSubject(whom: ErasureSubject): Condition {
  if (whom.kind === 'group') return sql`m.chat_id = ${whom.chat}`;
  return sql`m.chat_id = ${whom.chat} OR m.sender_id = ${whom.contact} OR ${byName(whom)}`;
}

/** Messages where only the sender's name is known, in a chat where the person is known to be. */
const byName = ({ names, groups }: PersonToErase): Condition => sql`(m.sender_id IS NULL
  AND m.sender_name = ANY(${names}::text[]) AND m.chat_id = ANY(${groups}::uuid[]))`;

/** A condition on `digests g`: those of hours and days in which the person wrote, and those that name them. */
export function digestsOfSubject(whom: ErasureSubject): Condition {
  if (whom.kind === 'group') return sql`g.chat_id = ${whom.chat}`;
  const pattern = namePattern(whom);
  const names =
    pattern === null
      ? MATCHES_NOTHING
      : sql`g.body ~* ${pattern} OR EXISTS (SELECT FROM digest_facts f WHERE f.account_id = g.account_id
          AND f.digest_id = g.id AND (f.body ~* ${pattern} OR f.data::text ~* ${pattern}))`;
  return sql`g.chat_id = ANY(${whom.groups}::uuid[]) AND (EXISTS (SELECT FROM messages m
      WHERE m.account_id = g.account_id AND m.chat_id = g.chat_id AND m.sent_at >= g.period_start
        AND m.sent_at < g.period_end AND (m.sender_id = ${whom.contact} OR ${byName(whom)})) OR ${names})`;
}

/**
 * A condition on `runs r` and the text in `text`: what the assistant derived from reading the subject's chats. For
 * groups that have other members, only what names the person.
 */
export function madeFromSubject(whom: ErasureSubject, text: Condition): Condition {
  const read = (chats: readonly (string | null)[]) => sql`r.taint->'chats' ?| ${chats}::text[]`;
  if (whom.kind === 'group') return read([whom.chat]);
  const pattern = namePattern(whom);
  const named =
    pattern === null ? MATCHES_NOTHING : sql`(${read(whom.groups)} AND ${text} ~* ${pattern})`;
  return sql`(${read([whom.chat])} OR ${named})`;
}

/** For a column with an address in WhatsApp's form: the digits before device and server. */
const digits = (column: Condition): Condition => sql`regexp_replace(${column}, '[:_@].*$', '')`;

/** A condition on `inbox i`. */
export const inboxOfSubject = (whom: ErasureSubject): Condition =>
  whom.kind === 'group'
    ? sql`i.chat = ${whom.address}`
    : sql`${digits(sql`i.chat`)} = ANY(${whom.addresses}::text[])
        OR ${digits(sql`i.sender`)} = ANY(${whom.addresses}::text[])`;

/** A condition on `approvals a`. */
export function approvalsAboutSubject(whom: ErasureSubject): Condition {
  const chat = sql`a.intent->>'chat' = ${whom.chat}::text OR a.intent->'of'->>'chat' = ${whom.chat}::text`;
  if (whom.kind === 'group') return chat;
  return sql`${chat} OR a.intent->'of'->>'contact' = ${whom.contact}::text OR a.instance_id IN (
    SELECT n.id FROM instances n WHERE n.account_id = a.account_id AND n.contact_id = ${whom.contact})`;
}

// Counts by kind what would be erased, with the same conditions as the erasure.

export async function countErasure(
  db: Db,
  account: AccountId,
  whom: ErasureSubject,
): Promise<ErasedCounts> {
  const contact = whom.kind === 'person' ? whom.contact : null;
  const ofChat = sql`chat_id = ${whom.chat}`;
  const either = sql`(${ofChat} OR contact_id = ${contact})`;
  const made = (text: RawBuilder<unknown>) =>
    sql`r.account_id = ${account} AND ${madeFromSubject(whom, text)}`;
  const { rows } = await sql<ErasedCounts>`SELECT
    (SELECT count(*) FROM messages m WHERE m.account_id = ${account} AND (${messagesOfSubject(whom)})) AS messages,
    (SELECT count(*) FROM outbox WHERE account_id = ${account} AND ${ofChat}) AS sent,
    (SELECT count(*) FROM instances WHERE account_id = ${account} AND ${either}) AS conversations,
    (SELECT count(*) FROM session_messages l JOIN sessions s ON s.account_id = l.account_id AND s.id = l.session_id
      WHERE l.account_id = ${account} AND ${either}) AS session_lines,
    (SELECT count(*) FROM schedules WHERE account_id = ${account} AND ${ofChat}) AS schedules,
    (SELECT count(*) FROM approvals a WHERE a.account_id = ${account} AND (${approvalsAboutSubject(whom)})) AS approvals,
    (SELECT count(*) FROM grants WHERE account_id = ${account} AND ${either}) AS grants,
    (SELECT count(*) FROM digests g WHERE g.account_id = ${account} AND (${digestsOfSubject(whom)})) AS digests,
    (SELECT count(*) FROM session_messages l JOIN runs r ON r.id = l.run_id WHERE l.account_id = ${account}
      AND l.role <> 'user' AND ${made(sql`l.content`)}) AS assistant_answers,
    (SELECT count(*) FROM tool_calls t JOIN runs r ON r.id = t.run_id WHERE t.account_id = ${account}
      AND ${made(sql`concat_ws(' ', t.arguments, t.result, t.effect)`)}) AS tool_calls`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a count without a row');
  return row;
}
