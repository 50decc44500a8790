// The beginning of a digest, one transaction: the group is still observed, the day's budget is not used up,
// and the run belongs to the group's own session.
import { type DayUse, dayBudgetSpent, NOTHING_USED } from '@relay/core/agent/budget';
import type { AccountId, ChatId, RunId } from '@relay/core/ids';
import { sql } from 'kysely';
import { inOneTransaction } from '../../../jobs/work.ts';
import type { Transaction } from '../../../store/database.ts';
import { fence } from '../../../store/lease.ts';
import type { ObservedGroup } from '../../../store/observer/groups.ts';
import { beginObserverRun } from '../../../store/observer/runs.ts';
import { spentToday } from '../../../store/runs.ts';
import type { DigestWorld } from './world.ts';

export function beginDigest(world: DigestWorld, group: ObservedGroup): Promise<RunId> {
  return inOneTransaction(world, async ({ tx }) => {
    await fence(tx, world.lease);
    await refuseSpent(world, tx);
    return beginObserverRun(tx, world.lease.account, group, `observer:${group.chat}`);
  });
}

async function refuseSpent(world: DigestWorld, tx: Transaction): Promise<void> {
  const today = spentToday(world.lease.account, world);
  const { rows } = await sql<{ used: DayUse }>`SELECT ${today} AS used`.execute(tx);
  const fault = dayBudgetSpent(world.settings.agent, rows[0]?.used ?? NOTHING_USED);
  if (fault !== null) throw fault;
}

/** Held until the transaction ends, so that nothing is written for a group that is being let go of. */
export async function isObserved(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
): Promise<boolean> {
  const row = await tx
    .selectFrom('observed_groups')
    .select('chat_id')
    .where('account_id', '=', account)
    .where('chat_id', '=', chat)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}
