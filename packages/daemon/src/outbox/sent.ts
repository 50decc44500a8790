// What was sent under an id, for a recipient whose device could not open it and asks again.
import type { AccountId, MessageId } from '@relay/core/ids';
import type { Reader } from '../store/database.ts';

export async function findSent(
  db: Reader,
  account: AccountId,
  id: MessageId,
): Promise<{ readonly text: string } | null> {
  const row = await db
    .selectFrom('outbox')
    .select('body')
    .where('account_id', '=', account)
    .where('message_id', '=', id)
    .executeTakeFirst();
  return row === undefined ? null : { text: row.body };
}
