// The account lease: one worker acts for an account. Every write carries the lease's epoch, so that the writes of a
// worker that lost its lease affect no rows. A lease of a registered worker lives as long as that worker renews itself
// (workers.ts); any other ends after a time.
import type { AccountId } from '@relay/contract/ids';
import { sql } from 'kysely';
import type { Db } from './database.ts';

export interface Lease {
  readonly account: AccountId;
  readonly holder: string;
  readonly epoch: number;
}

/** The epoch of a process that writes for an account without acting for it on WhatsApp: the API. */
export const SHARED_EPOCH = 0;

/** Lets a process write for an account whose lease it does not hold. Nothing that needs the socket accepts it. */
export const sharedLease = (account: AccountId): Lease => ({
  account,
  holder: '00000000-0000-0000-0000-000000000000',
  epoch: SHARED_EPOCH,
});

/** How long a lease lasts if its holder is not a registered worker. */
const UNATTENDED_SECONDS = 30;

/**
 * Takes the lease if it is free, expired or already ours. Returns null while another worker holds it, and to a worker
 * that was itself declared lost.
 */
export async function takeLease(db: Db, account: AccountId, holder: string): Promise<Lease | null> {
  return db.transaction().execute(async (tx) => {
    // FOR UPDATE waits for the writers of the former holder, who hold FOR KEY SHARE on this row.
    const held = await tx
      .selectFrom('account_leases')
      .select(['holder', isOver.as('over')])
      .where('account_id', '=', account)
      .forUpdate()
      .executeTakeFirst();
    if (held !== undefined && !held.over && held.holder !== holder) return null;
    const self = await tx
      .selectFrom('workers')
      .select(({ or }) =>
        or([sql<boolean>`lost_at IS NOT NULL`, sql<boolean>`stopped_at IS NOT NULL`]).as('ended'),
      )
      .where('id', '=', holder)
      .executeTakeFirst();
    if (self?.ended) return null;
    const until =
      self === undefined
        ? sql<Date>`now() + ${UNATTENDED_SECONDS} * interval '1 second'`
        : sql<Date>`'infinity'`;
    const taken = await tx
      .insertInto('account_leases')
      .values({ account_id: account, holder, epoch: 1, until })
      .onConflict((on) =>
        on
          .column('account_id')
          .doUpdateSet({ holder, epoch: sql<number>`account_leases.epoch + 1`, until })
          // If two workers both found no lease, the second one conflicts with the first one's row here.
          .where((row) => row.or([isOver, row('account_leases.holder', '=', holder)])),
      )
      .returning('epoch')
      .executeTakeFirst();
    return taken === undefined ? null : { account, holder, epoch: taken.epoch };
  });
}

/** Its time is over, or its holder is lost or has stopped. */
const isOver = sql<boolean>`(account_leases.until < now() OR account_leases.until = 'infinity' AND NOT EXISTS (
  SELECT FROM workers w WHERE w.id = account_leases.holder AND w.lost_at IS NULL AND w.stopped_at IS NULL))`;

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

/** Whether a worker holds the account. */
export async function isAccountHeld(db: Db, account: AccountId): Promise<boolean> {
  const row = await db
    .selectFrom('account_leases')
    .select(isOver.as('over'))
    .where('account_id', '=', account)
    .executeTakeFirst();
  return row !== undefined && !row.over;
}

export async function releaseLease(db: Db, lease: Lease): Promise<void> {
  await db
    .updateTable('account_leases')
    .set({ until: sql`now()` })
    .where('account_id', '=', lease.account)
    .where('epoch', '=', lease.epoch)
    .execute();
}
