// The hold as a row: there while nothing may leave. Written by the gate's own door alone.
import type { AccountId } from '@relay/core/ids';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Transaction } from '../store/database.ts';

/** One after the other: a hold that begins while another ends would each wait for what the other has. */
export async function takeTurnsHolding(tx: Transaction, account: AccountId): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`hold:${account}`}, 0))`.execute(tx);
}

/** `share`: it stays until this transaction ends. `update`: nobody finds it until then. */
export async function isHeld(
  tx: Transaction,
  account: AccountId,
  lock: 'share' | 'update',
): Promise<boolean> {
  const held = tx.selectFrom('holds').select('since').where('account_id', '=', account);
  const row = await (lock === 'share' ? held.forShare() : held.forUpdate()).executeTakeFirst();
  return row !== undefined;
}

/** The same within a statement; what it finds is kept as `share` keeps it. */
export const heldNow = (account: AccountId): RawBuilder<boolean> =>
  sql<boolean>`EXISTS (SELECT FROM holds WHERE account_id = ${account} FOR SHARE)`;

/** Asked for again, a hold keeps its beginning and takes the newer reason, if one is given. */
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
    .onConflict((on) => {
      const again = on.column('account_id');
      return reason === '' ? again.doNothing() : again.doUpdateSet({ reason });
    })
    .execute();
}
