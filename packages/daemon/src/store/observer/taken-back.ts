// Which messages of a group were taken back or written anew since: whatever else finds them, nobody is told
// of them again.
import type { AccountId, ChatId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';

export async function takenBack(
  db: Reader,
  account: AccountId,
  chat: ChatId,
  numbers: readonly number[],
): Promise<ReadonlySet<number>> {
  if (numbers.length === 0) return new Set();
  const { rows } = await sql<{ number: number }>`
    SELECT k.id AS number FROM message_keys k WHERE k.account_id = ${account} AND k.chat_id = ${chat}
      AND k.id = ANY(${[...numbers]}::bigint[]) AND EXISTS (SELECT FROM messages m
        WHERE m.account_id = k.account_id AND m.chat_id = k.chat_id AND m.sent_at >= k.sent_at
          AND m.quoted_id = k.message_id AND (m.kind = 'protocolMessage' OR m.details ? 'edits'))`.execute(
    db,
  );
  return new Set(rows.map(({ number }) => number));
}
