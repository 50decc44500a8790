// The last messages that the owner's assistant may read, with the grants joined in the query: a chat whose
// grant was taken back a moment ago is not among them. Bounded by what is asked for, not by what is stored.
import type { BufferedMessage } from '@relay/core/api/whatsapp';
import type { AccountId, ChatId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Reader } from './database.ts';
import { buffered } from './message-reader.ts';
import { ownChat } from './own.ts';

export interface ReadableQuery {
  /** All that may be read, unless given; the owner's own chats only by name. */
  readonly chat?: ChatId;
  readonly limit: number;
  readonly from?: Date;
}

export interface ReadMessages {
  /** The last ones, oldest first. */
  readonly messages: readonly BufferedMessage[];
  /** Whose words they are. */
  readonly chats: readonly ChatId[];
}

export async function readableMessages(
  db: Reader,
  account: AccountId,
  admins: readonly string[],
  { chat, limit, from }: ReadableQuery,
): Promise<ReadMessages> {
  const granted = sql`EXISTS (SELECT FROM grants g WHERE g.account_id = c.account_id AND g.can_read
    AND CASE c.kind WHEN 'direct' THEN g.contact_id = c.contact_id ELSE g.chat_id = c.id END)`;
  const own = sql`${ownChat(sql.ref('c'), admins)} IS NOT NULL`;
  const places =
    chat === undefined
      ? sql`${granted} AND NOT ${own}`
      : sql`c.id = ${chat} AND (${granted} OR ${own})`;
  const { rows } = await sql<{ sent_at: string; id: number; chat: ChatId }>`
    SELECT m.sent_at::text, m.id, places.id AS chat FROM (
      SELECT c.id FROM chats c WHERE c.account_id = ${account} AND ${places}
      ORDER BY c.last_message_at DESC NULLS LAST LIMIT ${limit}) places, LATERAL (
      SELECT sent_at, id FROM messages WHERE account_id = ${account} AND chat_id = places.id
        AND sent_at >= ${from ?? new Date(0)}
      ORDER BY sent_at DESC, id DESC LIMIT ${limit}) m
    ORDER BY m.sent_at DESC, m.id DESC LIMIT ${limit}`.execute(db);
  const keys = sql`SELECT * FROM unnest(${rows.map((row) => row.sent_at)}::timestamptz[],
    ${rows.map((row) => row.id)}::bigint[]) AS key (sent_at, id)`;
  return {
    messages: rows.length === 0 ? [] : await buffered(db, account, keys),
    chats: [...new Set(rows.map((row) => row.chat))],
  };
}
