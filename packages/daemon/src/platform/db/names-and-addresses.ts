// Names of people and chats as the owner sees them: the owner's name for them, else their profile name with the number
// beside it, else the number.
import type { AccountId, ChatId, ContactId } from '@relay/contract/ids';
import type { StoryChat } from '@relay/core/ledger/story';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './database.ts';

/** For `contacts p`, its grant `g` and its shown alias `s`. */
const PERSON_NAME_SQL = sql<string>`coalesce(g.display_name, p.display_name,
  nullif(concat_ws(' ', p.push_name, CASE WHEN s.value IS NULL THEN NULL
    WHEN p.push_name IS NULL THEN ${aliasLabelSql(sql.ref('s'))} ELSE '(' || ${aliasLabelSql(sql.ref('s'))} || ')' END), ''),
  'somebody')`;

function aliasLabelSql(alias: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`CASE ${alias}.kind WHEN 'phone' THEN '+' || ${alias}.value ELSE ${alias}.value || '@lid' END`;
}

/** The number if it is known, the newest if there are several. */
const SHOWN_ALIAS_SQL = sql`LATERAL (SELECT a.kind, a.value FROM contact_aliases a
  WHERE a.account_id = p.account_id AND a.contact_id = p.id
  ORDER BY a.kind DESC, a.learnt_at DESC, a.value LIMIT 1)`;

export async function loadChatNames(
  db: Db,
  account: AccountId,
  admins: readonly string[],
  chats: readonly ChatId[],
): Promise<ReadonlyMap<ChatId, StoryChat>> {
  const { rows } = await sql<{ id: ChatId; kind: StoryChat['kind']; name: string }>`
    SELECT c.id, CASE WHEN ${ownChatKindSql(sql.ref('c'), admins)} IS NULL THEN c.kind ELSE 'own' END AS kind,
      CASE c.kind WHEN 'group' THEN coalesce(g.display_name, c.subject, c.group_address) ELSE ${PERSON_NAME_SQL} END AS name
    FROM chats c LEFT JOIN contacts p ON p.account_id = c.account_id AND p.id = c.contact_id
      LEFT JOIN grants g ON g.account_id = c.account_id AND (g.contact_id = p.id OR g.chat_id = c.id)
      LEFT JOIN ${SHOWN_ALIAS_SQL} s ON true
    WHERE c.account_id = ${account} AND c.id = ANY(${[...new Set(chats)]}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, kind, name }) => [id, { kind, name }]));
}

export async function loadContactNames(
  db: Db,
  account: AccountId,
  contacts: readonly ContactId[],
): Promise<ReadonlyMap<ContactId, string>> {
  const { rows } = await sql<{ id: ContactId; name: string }>`
    SELECT p.id, ${PERSON_NAME_SQL} AS name FROM contacts p
      LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
      LEFT JOIN ${SHOWN_ALIAS_SQL} s ON true
    WHERE p.account_id = ${account} AND p.id = ANY(${[...new Set(contacts)]}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

// Addresses of people and chats, as WhatsApp writes them. A number is preferred to a LID, which nobody recognizes, and
// the newest to older ones; an address that WhatsApp does not know comes last.

/** For a row of `contact_aliases`. */
export const aliasJidSql = (alias: RawBuilder<unknown>): RawBuilder<string> =>
  sql<string>`${alias}.value || CASE ${alias}.kind WHEN 'phone' THEN '@s.whatsapp.net' ELSE '@lid' END`;

/** For the contact of a row with `account_id` and `contact_id`. */
export const contactJidSql = (of: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`(SELECT ${aliasJidSql(sql.ref('shown'))} FROM contact_aliases shown
    WHERE shown.account_id = ${of}.account_id AND shown.contact_id = ${of}.contact_id
    ORDER BY shown.kind DESC, shown.is_registered IS FALSE, shown.learnt_at DESC, shown.value LIMIT 1)`;

/** The same in the form people use: a number with its plus. */
export const contactNumberSql = (of: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql<string | null>`regexp_replace(${contactJidSql(of)}, '^(\\d+)@s\\.whatsapp\\.net$', '+\\1')`;

/** For `chats c`. */
export const CHAT_JID_SQL = sql<
  string | null
>`coalesce(c.group_address, ${contactJidSql(sql.ref('c'))})`;

// The owner's own chats: the linked number with itself, and those of the owner's other numbers.

/** For a row of `chats`: `self`, `admin`, or null. `admins` are phone numbers in digits. */
export const ownChatKindSql = (
  chat: RawBuilder<unknown>,
  admins: readonly string[],
): RawBuilder<'self' | 'admin' | null> => sql<'self' | 'admin' | null>`
  (SELECT CASE WHEN bool_or(s.value = CASE s.kind WHEN 'phone' THEN a.phone ELSE a.lid END) THEN 'self'
      WHEN bool_or(s.kind = 'phone' AND s.value = ANY(${admins}::text[])) THEN 'admin' END
    FROM accounts a JOIN contact_aliases s ON s.account_id = a.id
    WHERE a.id = ${chat}.account_id AND s.contact_id = ${chat}.contact_id)`;

/** The contacts of these chats, as a subquery: for queries over many chats. */
export const ownContactsSql = (
  account: AccountId,
  admins: readonly string[],
): RawBuilder<unknown> => sql`
  SELECT s.contact_id FROM contact_aliases s WHERE s.account_id = ${account} AND (
    (s.kind = 'phone' AND s.value = ANY(${admins}::text[]
      || (SELECT a.phone FROM accounts a WHERE a.id = ${account})))
    OR (s.kind = 'lid' AND s.value = (SELECT a.lid FROM accounts a WHERE a.id = ${account})))`;
