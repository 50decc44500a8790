// Who is in a chat and what they are called, for those messages that only name their sender.
import type { AccountId, ChatId } from '@relay/core/ids';
import { type Named, named, type Person } from '@relay/core/ingest/named';
import { sql } from 'kysely';
import type { Transaction } from '../database.ts';

/** Members may not be known yet; whoever wrote of late is one. */
const OF_LATE = 500;

export async function namedIn(tx: Transaction, account: AccountId, chat: ChatId): Promise<Named> {
  const { rows } = await sql<Person>`
    WITH ids AS (
      SELECT contact_id AS id FROM chat_members WHERE account_id = ${account} AND chat_id = ${chat}
      UNION SELECT contact_id FROM chats WHERE account_id = ${account} AND id = ${chat} AND contact_id IS NOT NULL
      UNION (SELECT sender_id FROM (SELECT sender_id FROM messages
        WHERE account_id = ${account} AND chat_id = ${chat}
        ORDER BY sent_at DESC, id DESC LIMIT ${OF_LATE}) late WHERE sender_id IS NOT NULL))
    SELECT p.id, array_remove(ARRAY[g.display_name, p.display_name, p.push_name], NULL) AS names,
      ARRAY(SELECT a.value FROM contact_aliases a
        WHERE a.account_id = p.account_id AND a.contact_id = p.id AND a.kind = 'phone') AS numbers
    FROM ids JOIN contacts p ON p.account_id = ${account} AND p.id = ids.id
      LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id`.execute(tx);
  const own = await sql<{ phone: string | null }>`
    SELECT phone FROM accounts WHERE id = ${account}`.execute(tx);
  return named(rows, own.rows[0]?.phone ?? null);
}
