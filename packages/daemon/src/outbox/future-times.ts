// Times that lie ahead of the clock: they were written while it was ahead, and it has been put right since. Left as they
// are, they would stop all sending until then.
import type { AccountId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Transaction } from '../store/database.ts';

/**
 * What seems to happen later happened no later than now. Caps still count those messages, and retries and freezes last
 * as long as they were meant to. The end of a time lock is WhatsApp's own word and stays.
 */
export async function correctFutureTimes(
  tx: Transaction,
  account: AccountId,
  now: Date,
): Promise<void> {
  const at = sql`${now}::timestamptz`;
  await sql`UPDATE outbox SET attempted_at = ${at}, unknown_since = least(unknown_since, ${at}),
      not_before = CASE WHEN not_before > attempted_at THEN not_before - (attempted_at - ${at}) ELSE not_before END
    WHERE account_id = ${account} AND attempted_at > ${at}`.execute(tx);
  await sql`UPDATE freezes SET since = ${at}, until = until - (since - ${at})
    WHERE account_id = ${account} AND since > ${at} AND cause <> 'time_lock'`.execute(tx);
}
