// Suspends the follow-up clocks while the account cannot send: disconnected, catching up, on hold, frozen by WhatsApp
// or at an hourly or daily limit. The start time is stored in the account's row, so it survives a restart; on resume,
// every clock is extended by the suspended time.

import type { AccountId } from '@relay/contract/ids';
import { sql } from 'kysely';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { Engine } from '../../platform/jobs/engine.ts';

interface FollowUpClockOptions extends Pick<Engine, 'db' | 'lease' | 'now' | 'log'> {
  /** Whether it is connected and caught up with WhatsApp. A change is followed by an event. */
  readonly isConnected: () => boolean;
  /** Whether it is on hold, frozen, or at the hourly or daily limit. It may end by itself. */
  readonly isBlocked: () => Promise<boolean>;
}

export class FollowUpClock {
  readonly #options: FollowUpClockOptions;
  /** The last value written; null before the first write. */
  #isSuspended: boolean | null = null;

  constructor(options: FollowUpClockOptions) {
    this.#options = options;
  }

  /** Must be called before due timers fire. Returns false if it has to be called again soon. */
  async update(): Promise<boolean> {
    const { lease, now, isConnected, isBlocked } = this.#options;
    const connected = isConnected();
    const isSuspended = !connected || (await isBlocked());
    const isSettled = !connected || !isSuspended;
    if (isSuspended === this.#isSuspended) return isSettled;
    const write = isSuspended ? suspendClocks : resumeClocks;
    const moved = await transaction(this.#options, ({ tx }) => write(tx, lease.account, now()));
    this.#isSuspended = isSuspended;
    if (moved > 0) this.#options.log.info('follow-up timers resumed', { count: moved });
    return isSettled;
  }
}

async function suspendClocks(tx: Transaction, account: AccountId, now: Date): Promise<number> {
  await sql`UPDATE accounts SET follow_ups_suspended_since = ${now}
    WHERE id = ${account} AND follow_ups_suspended_since IS NULL`.execute(tx);
  return 0;
}

/** When the account's follow-up clocks were suspended; null while they run. */
export async function suspendedSince(tx: Db, account: AccountId): Promise<Date | null> {
  const row = await tx
    .selectFrom('accounts')
    .select('follow_ups_suspended_since')
    .where('id', '=', account)
    .executeTakeFirst();
  return row?.follow_ups_suspended_since ?? null;
}

/**
 * Locks conversations before timers, in the same order as a transition. NO KEY, so that other writes to rows of the
 * account need not wait until every clock has moved.
 */
async function resumeClocks(tx: Transaction, account: AccountId, now: Date): Promise<number> {
  const { rows } = await sql<{ since: Date | null }>`
    SELECT follow_ups_suspended_since AS since FROM accounts WHERE id = ${account} FOR NO KEY UPDATE`.execute(
    tx,
  );
  const since = rows[0]?.since ?? null;
  if (since === null) return 0;
  const moved = await sql`
    UPDATE instances SET timer_due_at = timer_due_at
      + greatest(${now}::timestamptz - greatest(${since}::timestamptz, timer_set_at), '0')
    WHERE account_id = ${account} AND timer_due_at IS NOT NULL`.execute(tx);
  await sql`UPDATE timers t SET due_at = i.timer_due_at FROM instances i
    WHERE t.account_id = ${account} AND t.kind = 'heartbeat' AND i.account_id = t.account_id
      AND i.id = t.subject_id AND i.timer_due_at IS NOT NULL`.execute(tx);
  await sql`UPDATE accounts SET follow_ups_suspended_since = NULL WHERE id = ${account}`.execute(
    tx,
  );
  return Number(moved.numAffectedRows ?? 0);
}
