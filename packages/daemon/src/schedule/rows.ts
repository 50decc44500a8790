// A schedule as a row, with its timer: who changes when it is next due changes both. `next_at` is the first
// occurrence of which nothing is decided yet; null once there is none.
import type { AccountId, ScheduleId } from '@relay/core/ids';
import type { CatchUp } from '@relay/core/schedule/missed';
import type { Rule } from '@relay/core/schedule/rule';
import type { Zone } from '@relay/core/schedule/zone';
import { zoneNamed } from '@relay/core/schedule/zone';
import type { Selectable } from 'kysely';
import { clearTimer, setTimer } from '../jobs/timers.ts';
import type { Transaction } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';

export type ScheduleRow = Selectable<Tables['schedules']>;

export async function lockSchedule(
  tx: Transaction,
  account: AccountId,
  id: ScheduleId,
): Promise<ScheduleRow | null> {
  const row = await tx
    .selectFrom('schedules')
    .selectAll()
    .where('account_id', '=', account)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/** It is due next then, or never again. */
export async function setNext(
  tx: Transaction,
  account: AccountId,
  id: ScheduleId,
  next: Date | null,
  ended: 'done' | 'cancelled' = 'done',
): Promise<void> {
  await tx
    .updateTable('schedules')
    .set({ next_at: next, state: next === null ? ended : 'active' })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .execute();
  if (next === null) await clearTimer(tx, account, 'schedule', id);
  else await setTimer(tx, timerOf(account, id), next);
}

/** Which occurrence is due stands in the row, so a timer needs no epoch of its own. */
export const timerOf = (account: AccountId, id: ScheduleId) =>
  ({ account, kind: 'schedule', subject: id, epoch: 0 }) as const;

/** As it was checked when it was written. */
export function ruleOf(row: Pick<ScheduleRow, 'rule' | 'zone' | 'catch_up'>): {
  readonly rule: Rule;
  readonly zone: Zone;
  readonly catchUp: CatchUp;
} {
  const zone = zoneNamed(row.zone);
  if (zone === null) throw new Error(`this machine knows no zone ${row.zone}`);
  return { rule: row.rule, zone, catchUp: row.catch_up };
}
