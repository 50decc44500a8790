// Cancelling: nothing more comes of a schedule, neither the next occurrence nor a message of it that waits
// in the outbox (its permit is asked again before it leaves) nor a question to the owner.
import { RelayError } from '@relay/core/errors';
import type { ApprovalId, ScheduleId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import { sql } from 'kysely';
import { actorName } from '../gate/actor-names.ts';
import type { Transaction } from '../store/database.ts';
import { appendEvent, appendEvents } from '../store/events.ts';
import { appendLedger } from '../store/ledger.ts';
import { lockSchedule, setNext } from './rows.ts';
import type { ScheduleWorld } from './world.ts';

/** Cancelled twice is cancelled; one that has come to its end with nothing on its way is refused. */
export async function cancelSchedule(
  world: ScheduleWorld,
  tx: Transaction,
  actor: Actor,
  id: ScheduleId,
): Promise<void> {
  const { account } = world.lease;
  const row = await lockSchedule(tx, account, id);
  if (row === null) throw new RelayError('schedule_not_found', { id });
  if (row.state === 'cancelled') return;
  if (row.state === 'done' && !(await isOnItsWay(world, tx, id))) {
    throw new RelayError('schedule_over', { id });
  }
  await setNext(tx, account, id, null, 'cancelled');
  await withdrawQuestions(world, tx, id);
  await appendEvent(tx, account, { kind: 'schedule', subject: id, data: { state: 'cancelled' } });
  await appendLedger(tx, account, {
    actor: actorName(actor),
    action: 'cancel_schedule',
    subject: { kind: 'schedule', id },
    outcome: 'allow',
    reason: actor.kind === 'owner' ? 'owner' : 'narrowing',
  });
}

async function isOnItsWay(
  { lease }: ScheduleWorld,
  tx: Transaction,
  id: ScheduleId,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM outbox o JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
    WHERE o.account_id = ${lease.account} AND o.state = 'pending' AND p.schedule_id = ${id}
    UNION ALL SELECT FROM approvals
    WHERE account_id = ${lease.account} AND schedule_id = ${id} AND state = 'pending'`.execute(tx);
  return rows.length > 0;
}

async function withdrawQuestions(
  { lease }: ScheduleWorld,
  tx: Transaction,
  id: ScheduleId,
): Promise<void> {
  const { rows } = await sql<{ id: ApprovalId }>`
    UPDATE approvals SET state = 'expired', decided_at = now()
    WHERE account_id = ${lease.account} AND schedule_id = ${id} AND state = 'pending'
    RETURNING id`.execute(tx);
  const expired = { kind: 'approval', data: { state: 'expired' } };
  await appendEvents(
    tx,
    lease.account,
    rows.map((row) => ({ ...expired, subject: row.id })),
  );
}
