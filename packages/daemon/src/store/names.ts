// What people and chats are called when the owner is told about them: as the owner calls them, else as they
// call themselves, with their number beside it, else the number.
import type { AccountId, ChatId, ContactId } from '@relay/core/ids';
import type { Place } from '@relay/core/ledger/story';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from './database.ts';
import { ownChat } from './own.ts';

/** Of `contacts p`, its grant `g` and its shown alias `s`. */
const PERSON = sql<string>`coalesce(g.display_name, p.display_name,
  nullif(concat_ws(' ', p.push_name, CASE WHEN s.value IS NULL THEN NULL
    WHEN p.push_name IS NULL THEN ${address(sql.ref('s'))} ELSE '(' || ${address(sql.ref('s'))} || ')' END), ''),
  'somebody')`;

function address(alias: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`CASE ${alias}.kind WHEN 'phone' THEN '+' || ${alias}.value ELSE ${alias}.value || '@lid' END`;
}

/** The number when it is known, the newest when there are several. */
const SHOWN = sql`LATERAL (SELECT a.kind, a.value FROM contact_aliases a
  WHERE a.account_id = p.account_id AND a.contact_id = p.id
  ORDER BY a.kind DESC, a.learnt_at DESC, a.value LIMIT 1)`;

export async function placesOf(
  db: Reader,
  account: AccountId,
  admins: readonly string[],
  chats: readonly ChatId[],
): Promise<ReadonlyMap<ChatId, Place>> {
  const { rows } = await sql<{ id: ChatId; kind: Place['kind']; name: string }>`
    SELECT c.id, CASE WHEN ${ownChat(sql.ref('c'), admins)} IS NULL THEN c.kind ELSE 'own' END AS kind,
      CASE c.kind WHEN 'group' THEN coalesce(g.display_name, c.subject, c.group_address) ELSE ${PERSON} END AS name
    FROM chats c LEFT JOIN contacts p ON p.account_id = c.account_id AND p.id = c.contact_id
      LEFT JOIN grants g ON g.account_id = c.account_id AND (g.contact_id = p.id OR g.chat_id = c.id)
      LEFT JOIN ${SHOWN} s ON true
    WHERE c.account_id = ${account} AND c.id = ANY(${[...new Set(chats)]}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, kind, name }) => [id, { kind, name }]));
}

export async function peopleNamed(
  db: Reader,
  account: AccountId,
  contacts: readonly ContactId[],
): Promise<ReadonlyMap<ContactId, string>> {
  const { rows } = await sql<{ id: ContactId; name: string }>`
    SELECT p.id, ${PERSON} AS name FROM contacts p
      LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
      LEFT JOIN ${SHOWN} s ON true
    WHERE p.account_id = ${account} AND p.id = ANY(${[...new Set(contacts)]}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
