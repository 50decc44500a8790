// The hold as a row: there while nothing may leave. Written by the gate's own door alone.
import type { AccountId } from '@relay/core/ids';
import type { Transaction } from '../store/database.ts';

/** Asked for again, a hold keeps its beginning and takes the newer reason. */
export async function setHold(
  tx: Transaction,
  account: AccountId,
  on: boolean,
  reason: string,
): Promise<void> {
  if (!on) {
    await tx.deleteFrom('holds').where('account_id', '=', account).execute();
    return;
  }
  await tx
    .insertInto('holds')
    .values({ account_id: account, reason })
    .onConflict((on) => on.column('account_id').doUpdateSet({ reason }))
    .execute();
}
