// The account lease: one worker acts for an account. Every write carries the lease's epoch, so that the writes of a
// worker that lost its lease affect no rows.
import type { AccountId } from '@relay/contract/ids';
import { sql } from 'kysely';
import type { Db } from './database.ts';

export interface Lease {
  readonly account: AccountId;
  readonly holder: string;
  readonly epoch: number;
}

export const LEASE_SECONDS = 30;

/**
 * Takes the lease if it is free, expired or already ours: a home has one holder name, so a restarted daemon gets it
 * back immediately. Returns null while another worker holds it.
 */
export async function takeLease(db: Db, account: AccountId, holder: string): Promise<Lease | null> {
  return db.transaction().execute(async (tx) => {
    // FOR UPDATE waits for the writers of the former holder, who hold FOR KEY SHARE on this row.
    const held = await tx
      .selectFrom('account_leases')
      .select(['holder', 'epoch', sql<boolean>`until < now()`.as('over')])
      .where('account_id', '=', account)
      .forUpdate()
      .executeTakeFirst();
    if (held !== undefined && !held.over && held.holder !== holder) return null;
    const taken = await tx
      .insertInto('account_leases')
      .values({ account_id: account, holder, epoch: 1, until: inSeconds(LEASE_SECONDS) })
      .onConflict((on) =>
        on
          .column('account_id')
          .doUpdateSet({
            holder,
            epoch: sql<number>`account_leases.epoch + 1`,
            until: inSeconds(LEASE_SECONDS),
          })
          // If two workers both found no lease, the second one conflicts with the first one's row here.
          .where((row) =>
            row.or([
              row('account_leases.until', '<', sql<Date>`now()`),
              row('account_leases.holder', '=', holder),
            ]),
          ),
      )
      .returning('epoch')
      .executeTakeFirst();
    return taken === undefined ? null : { account, holder, epoch: taken.epoch };
  });
}

/** False if the lease was lost: the caller must stop acting for the account. */
export async function renewLease(db: Db, lease: Lease): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('account_leases')
    .set({ until: inSeconds(LEASE_SECONDS) })
    .where('account_id', '=', lease.account)
    .where('epoch', '=', lease.epoch)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Does not check the expiry: until another worker takes it, the lease is still held. */
export async function isLeaseHeld(db: Db, lease: Lease): Promise<boolean> {
  const row = await db
    .selectFrom('account_leases')
    .select('epoch')
    .where('account_id', '=', lease.account)
    .where('epoch', '=', lease.epoch)
    .executeTakeFirst();
  return row !== undefined;
}

export async function releaseLease(db: Db, lease: Lease): Promise<void> {
  await db
    .updateTable('account_leases')
    .set({ until: sql`now()` })
    .where('account_id', '=', lease.account)
    .where('epoch', '=', lease.epoch)
    .execute();
}

const inSeconds = (seconds: number) => sql<Date>`now() + ${seconds} * interval '1 second'`;
