// Which groups there is something to read of: those that are observed, and those that were and whose digests
// are still kept. And what a group's day cost.
import type { AccountId, ChatId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';

export interface DigestedGroup {
  readonly chat: ChatId;
  readonly address: string;
  readonly name: string;
  /** Null once it is no longer observed. */
  readonly zone: string | null;
  readonly observed: boolean;
}

/** The longest observed first. */
export async function digestedGroups(
  db: Reader,
  account: AccountId,
): Promise<readonly DigestedGroup[]> {
  const { rows } = await sql<DigestedGroup>`
    SELECT c.id AS chat, c.group_address AS address, o.zone, o.chat_id IS NOT NULL AS observed,
      coalesce(g.display_name, nullif(c.subject, ''), c.group_address) AS name
    FROM chats c LEFT JOIN observed_groups o ON o.account_id = c.account_id AND o.chat_id = c.id
      LEFT JOIN grants g ON g.account_id = c.account_id AND g.chat_id = c.id
    WHERE c.account_id = ${account} AND c.kind = 'group' AND (o.chat_id IS NOT NULL OR EXISTS (
      SELECT FROM digests d WHERE d.account_id = c.account_id AND d.chat_id = c.id))
    ORDER BY o.since NULLS LAST, c.id`.execute(db);
  return rows;
}

export interface DayUsage {
  readonly messages_kept: number;
  readonly messages_cut: number;
  readonly tokens_spent: number;
  readonly tokens_saved: number;
}

const NOTHING = { messages_kept: 0, messages_cut: 0, tokens_spent: 0, tokens_saved: 0 };

export async function usageOf(
  db: Reader,
  account: AccountId,
  chat: ChatId,
  day: string,
): Promise<DayUsage> {
  const found = await db
    .selectFrom('observer_usage')
    .select(['messages_kept', 'messages_cut', 'tokens_spent', 'tokens_saved'])
    .where('account_id', '=', account)
    .where('chat_id', '=', chat)
    .where('day', '=', day)
    .executeTakeFirst();
  return found ?? NOTHING;
}
