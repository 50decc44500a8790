// Finds the message that a reply quotes, or that a reaction, an edit or a deletion is about.
import { RelayError } from '@relay/contract/errors';
import type { AccountId, ChatId, MessageId } from '@relay/contract/ids';
import { sql } from 'kysely';
import type { Transaction } from '../../platform/db/database.ts';

/** A reply can quote only a stored message of the chat that it is sent to, by its id or the only one that begins so. */
export async function requireQuotable(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
  id: string,
): Promise<MessageId> {
  const { rows } = await sql<{ id: MessageId }>`SELECT message_id AS id FROM message_keys
    WHERE account_id = ${account} AND chat_id = ${chat} AND message_id LIKE ${`${escapeLike(id)}%`}
    GROUP BY message_id ORDER BY message_id <> ${id} LIMIT 2`.execute(tx);
  const [found, other] = rows;
  if (found === undefined || (other !== undefined && found.id !== id))
    throw new RelayError('reply_to_unknown', { id });
  return found.id;
}

const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');
