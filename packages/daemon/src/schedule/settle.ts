// When Relay begins, and when the clock was put back: what is to come is worked out anew. What has happened
// stays as it is; what was left out in a time that now lies ahead again is to come after all.
import type { ScheduleId } from '@relay/core/ids';
import { nextAfter } from '@relay/core/schedule/recur';
import { sql } from 'kysely';
import type { OnRelease } from '../gate/carry-out.ts';
import { inOneTransaction, type Work, within } from '../jobs/work.ts';
import { fence } from '../store/lease.ts';
import { ruleOf, type ScheduleRow, setNext } from './rows.ts';
import type { ScheduleWorld } from './world.ts';

export async function settleSchedules(world: ScheduleWorld): Promise<void> {
  await inOneTransaction(world, async (work) => {
    await fence(work.tx, world.lease);
    await reopenSkipped(world, work);
    for (const row of await lockActive(world, work)) await settle(world, work, row);
  });
}

async function reopenSkipped({ lease, now }: ScheduleWorld, { tx }: Work): Promise<void> {
  await sql`WITH undone AS (
      DELETE FROM schedule_runs WHERE account_id = ${lease.account} AND outcome = 'skipped'
        AND due_at > ${now()} RETURNING schedule_id, due_at)
    UPDATE schedules s SET state = 'active', next_at = u.due_at FROM undone u
    WHERE s.account_id = ${lease.account} AND s.id = u.schedule_id AND s.state = 'done'`.execute(
    tx,
  );
}

type Active = ScheduleRow & { readonly decided: Date | null };

async function lockActive({ lease }: ScheduleWorld, { tx }: Work): Promise<Active[]> {
  const { rows } = await sql<Active>`
    SELECT s.*, (SELECT max(r.due_at) FROM schedule_runs r WHERE r.account_id = s.account_id
      AND r.schedule_id = s.id AND r.outcome <> 'skipped') AS decided
    FROM schedules s WHERE s.account_id = ${lease.account} AND s.state = 'active'
    ORDER BY s.id FOR UPDATE OF s`.execute(tx);
  return rows;
}

async function settle(world: ScheduleWorld, { tx }: Work, row: Active): Promise<void> {
  await setNext(tx, world.lease.account, row.id, nextOf(row, world.now()));
}

/** One that is overdue stays so, and its timer is there again even if its job was given up. */
function nextOf(row: Active, now: Date): Date | null {
  if (row.next_at !== null && row.next_at <= now) return row.next_at;
  const { rule, zone } = ruleOf(row);
  const decided = row.decided ?? now;
  return nextAfter(rule, zone, decided > now ? decided : now);
}

/** The hold is over: what came due meanwhile is asked for, in the transaction that ends it. */
export const askHeldSchedules =
  (world: ScheduleWorld): OnRelease =>
  (tx) =>
    within(world, tx, async ({ filled }) => {
      const { account } = world.lease;
      const rows = await tx
        .selectFrom('schedules')
        .select('id')
        .where('account_id', '=', account)
        .where('state', '=', 'active')
        .where('next_at', '<=', world.now())
        .execute();
      const job = (id: ScheduleId) => ({
        key: `${account}:${id}`,
        data: { account, subject: id, epoch: 0 },
      });
      await world.jobs.enqueue(
        tx,
        'schedule',
        rows.map(({ id }) => job(id)),
      );
      if (rows.length > 0) filled.add('schedule');
    });
