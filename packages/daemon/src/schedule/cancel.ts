// Cancelling: nothing more comes of a schedule, neither the next occurrence nor a message of it that waits
// in the outbox (its permit is asked again before it leaves) nor a question to the owner.
import { RelayError } from '@relay/core/errors';
import type { ApprovalId, ScheduleId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import { because, REASONS } from '@relay/core/policy/reasons';
import { sql } from 'kysely';
import type { CarryOutSchedules } from '../gate/carry-out.ts';
import type { Circumstances } from '../gate/consider.ts';
import { closeNotices } from '../gate/notices.ts';
import type { Submitted } from '../gate/submit.ts';
import { withdrawQuestions } from '../gate/withdraw.ts';
import { within } from '../jobs/work.ts';
import type { Transaction } from '../store/database.ts';
import { appendEvent } from '../store/events.ts';
import { lockSchedule, ruleOf, setNext } from './rows.ts';
import type { ScheduleWorld } from './world.ts';

const CANCELLED = 'The schedule was cancelled.';

/** Cancelled twice is cancelled; one that has come to its end with nothing on its way is refused. */
export async function cancelSchedule(
  world: ScheduleWorld,
  tx: Transaction,
  actor: Actor,
  id: ScheduleId,
  circumstances: Circumstances = {},
): Promise<Pick<Submitted, 'decision' | 'approval'>> {
  const { account } = world.lease;
  const row = await lockSchedule(tx, account, id);
  if (row === null) throw new RelayError('schedule_not_found', { id });
  if (row.state === 'cancelled') return { decision: because('narrowing'), approval: null };
  if (row.state === 'done' && !(await isOnItsWay(world, tx, id))) {
    throw new RelayError('schedule_over', { id });
  }
  const { chat_id: chat, body: text, zone } = row;
  const proposal = {
    kind: 'cancel_schedule',
    schedule: id,
    chat,
    text,
    rule: ruleOf(row).rule,
    zone,
  } as const;
  // What is to be withdrawn and told comes before the ledger, which stays locked from its row to the commit.
  const { outcome } = await world.gate.ask(tx, actor, proposal, circumstances);
  let withdrawn: readonly ApprovalId[] = [];
  if (outcome === 'allow') {
    await setNext(tx, account, id, null, 'cancelled');
    withdrawn = await withdrawQuestions(tx, account, { schedule: id }, CANCELLED);
    await appendEvent(tx, account, { kind: 'schedule', subject: id, data: { state: 'cancelled' } });
  }
  const submitted = await world.gate.submit(tx, actor, proposal, circumstances);
  await closeNotices(tx, { gate: world.gate, account }, withdrawn, CANCELLED);
  return submitted;
}

/** The owner said yes to what an agent wanted to cancel. A refusal is thrown, and undoes the yes. */
export const carryOutCancellation =
  (world: ScheduleWorld): CarryOutSchedules['cancelSchedule'] =>
  (tx, { approval, actor, run, schedule }) =>
    within(world, tx, async () => {
      const { decision } = await cancelSchedule(world, tx, actor, schedule, {
        approval,
        ...(run === null ? {} : { run }),
      });
      if (decision.outcome !== 'allow') {
        throw new RelayError('denied', { reason: REASONS[decision.reason].sentence });
      }
    });

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
