// One person or group as the owner looks at them: every address, their chats, conversations and programs, and what was
// decided about them lately. Ids, names and sentences; never a word of a message.
import type { ContactDetail } from '@relay/core/api/contacts';
import type { AccountId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Reader } from './database.ts';
import { findPerson } from './people.ts';
import { isGood, isProgram } from './tokens.ts';
import { toLines } from './why/lines.ts';
import { COLUMNS, type StoredRow } from './why/rows.ts';

const CONVERSATIONS = 10;
const LINES = 8;
/** A message names its chat in the row alone, so of those only the latest decisions are looked through. */
const LOOKED_THROUGH = 2_000;

export async function readContact(
  db: Reader,
  account: AccountId,
  admins: readonly string[],
  id: string,
): Promise<ContactDetail | null> {
  const contact = await findPerson(db, account, id);
  if (contact === null) return null;
  const { rows } = await sql<Omit<ContactDetail, 'contact' | 'ledger'>>`
    SELECT coalesce((SELECT push_name FROM contacts WHERE account_id = ${account} AND id = ${id}),
        (SELECT subject FROM chats WHERE account_id = ${account} AND id = ${id})) AS calls_itself,
      (SELECT coalesce(json_agg(a), '[]') FROM (
        SELECT kind, value, ${iso(sql`learnt_at`)} AS learnt_at FROM contact_aliases
          WHERE account_id = ${account} AND contact_id = ${id}
        UNION ALL SELECT 'group', group_address, ${iso(sql`created_at`)} FROM chats
          WHERE account_id = ${account} AND id = ${id} AND kind = 'group'
        ORDER BY kind DESC, learnt_at DESC) a) AS addresses,
      (SELECT coalesce(json_agg(c), '[]') FROM (
        SELECT c.id, c.kind, CASE c.kind WHEN 'group' THEN coalesce(g.display_name, c.subject) END AS name,
          ${iso(sql`c.last_message_at`)} AS last_message_at
        FROM chats c LEFT JOIN grants g ON g.account_id = c.account_id AND g.chat_id = c.id
        WHERE c.account_id = ${account} AND (c.contact_id = ${id} OR c.id = ${id} OR c.id IN (
          SELECT chat_id FROM chat_members WHERE account_id = ${account} AND contact_id = ${id}))
        ORDER BY c.kind, c.last_message_at DESC NULLS LAST LIMIT 20) c) AS chats,
      (SELECT coalesce(json_agg(i), '[]') FROM (
        SELECT id, objective, state, failure_reason, ${iso(sql`updated_at`)} AS updated_at FROM instances
        WHERE account_id = ${account} AND contact_id = ${id}
        ORDER BY queue_seq DESC LIMIT ${CONVERSATIONS}) i) AS conversations,
      (SELECT coalesce(json_agg(t), '[]') FROM (
        SELECT t.id, t.name, t.scopes, t.contacts IS NOT NULL AS by_name FROM tokens t
        WHERE t.account_id = ${account} AND ${isProgram} AND ${isGood}
          AND (t.contacts IS NULL OR ${id}::uuid = ANY(t.contacts))
        ORDER BY t.name) t) AS tokens`.execute(db);
  const [found] = rows;
  if (found === undefined) return null;
  const chats = found.chats.filter(({ id: chat, kind }) => kind === 'direct' || chat === id);
  const about = [id, ...chats.map((chat) => chat.id)];
  return { contact, ...found, ledger: await lately(db, account, admins, about) };
}

const iso = (at: ReturnType<typeof sql>) =>
  sql`to_char(${at} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

async function lately(
  db: Reader,
  account: AccountId,
  admins: readonly string[],
  about: readonly string[],
): Promise<ContactDetail['ledger']> {
  const { rows } = await sql<StoredRow>`
    SELECT * FROM (
      (SELECT ${COLUMNS} FROM ledger l WHERE l.account_id = ${account}
        AND l.subject_kind IN ('contact', 'chat') AND l.subject_id = ANY(${about}::text[])
        ORDER BY l.seq DESC LIMIT ${LINES})
      UNION
      (SELECT ${COLUMNS} FROM (SELECT * FROM ledger WHERE account_id = ${account}
          ORDER BY seq DESC LIMIT ${LOOKED_THROUGH}) l
        WHERE l.detail->>'chat' = ANY(${about}::text[]) OR l.detail->>'contact' = ANY(${about}::text[])
        ORDER BY l.seq DESC LIMIT ${LINES})) l
    ORDER BY l.seq DESC LIMIT ${LINES}`.execute(db);
  return toLines(db, account, admins, rows);
}
