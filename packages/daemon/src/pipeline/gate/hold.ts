// The owner's hold. While its row exists nothing is sent, whatever was permitted; the row survives a restart. Ending
// the hold queues again, in the same transaction, the turns that were postponed.

import type { HoldService } from '@relay/contract/api/approvals';
import type { Hold } from '@relay/contract/api/sending';
import { refusalError } from '@relay/core/policy/reasons';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { appendEvent } from '../../platform/db/events.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import type { OnRelease } from './approvals.ts';
import { type Gate, isOnHold, lockHold } from './gate.ts';

export interface HoldDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly gate: Gate;
  readonly onRelease: OnRelease;
  /** Called after a commit that changed something a stream shows. */
  readonly onChange: () => void;
}

export function createHoldService(deps: HoldDeps): HoldService {
  const { db, lease, gate, onChange } = deps;
  return {
    hold: async (reason) => {
      await transaction(deps, ({ tx }) => hold(deps, tx, reason));
      onChange();
      return readHold(db, lease);
    },
    release: async () => {
      await transaction(deps, (work) => release(deps, work));
      onChange();
      gate.wakeOutbox();
      return readHold(db, lease);
    },
  };
}

/** Begins a hold in the caller's transaction. An existing hold stays as it is. */
export async function beginHold(
  deps: Pick<HoldDeps, 'lease' | 'gate'>,
  tx: Transaction,
  reason: string,
): Promise<void> {
  await lockHold(tx, deps.lease.account);
  if (!(await isOnHold(tx, deps.lease.account, 'update'))) await set(deps, tx, true, reason);
}

/** Locks an existing hold before the ledger, the order used everywhere. */
async function hold(deps: HoldDeps, tx: Transaction, reason: string): Promise<void> {
  await lockHold(tx, deps.lease.account);
  await isOnHold(tx, deps.lease.account, 'update');
  await set(deps, tx, true, reason);
}

/**
 * Locks the row first: whoever postpones something because of the hold has committed by then, or finds the hold gone.
 * The ledger row comes last, because the ledger stays locked from there to the commit.
 */
async function release(deps: HoldDeps, work: UnitOfWork): Promise<void> {
  const { tx } = work;
  await lockHold(tx, deps.lease.account);
  await isOnHold(tx, deps.lease.account, 'update');
  await deps.onRelease(work);
  await set(deps, tx, false, '');
}

async function set(
  { gate, lease }: Pick<HoldDeps, 'lease' | 'gate'>,
  tx: Transaction,
  on: boolean,
  reason: string,
): Promise<void> {
  await appendEvent(tx, lease.account, { kind: 'hold', subject: null, data: { on } });
  const { decision } = await gate.submit(
    tx,
    { kind: 'owner' },
    { kind: 'set_hold', on },
    { reason },
  );
  if (decision.outcome !== 'allow') {
    throw refusalError(decision.reason);
  }
}

export async function readHold(db: Db, { account }: Lease): Promise<Hold> {
  const row = await db
    .selectFrom('holds')
    .select(['reason', 'since'])
    .where('account_id', '=', account)
    .executeTakeFirst();
  return {
    hold: row !== undefined,
    reason: row?.reason || null,
    since: row?.since.toISOString() ?? null,
  };
}
