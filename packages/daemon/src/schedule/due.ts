// A schedule's time has come. In one transaction: the occurrence is written down, its message passes the
// gate into the outbox, and the next timer is set. Whatever is killed in between, each occurrence has its
// one row and at most its one message.
import type { ScheduleId } from '@relay/core/ids';
import type { Decision } from '@relay/core/policy/reasons';
import { type Plan, planDue, type Skipped } from '@relay/core/schedule/catch-up';
import { sql } from 'kysely';
import { isHeld } from '../gate/hold-row.ts';
import type { Submitted } from '../gate/submit.ts';
import { inOneTransaction, Reconsider, type Work } from '../jobs/work.ts';
import type { Handler } from '../jobs/worker.ts';
import { appendEvent } from '../store/events.ts';
import { fence } from '../store/lease.ts';
import { replaceWaiting } from './replace.ts';
import { lockSchedule, ruleOf, type ScheduleRow, setNext } from './rows.ts';
import { tellRefused } from './tell.ts';
import type { ScheduleWorld } from './world.ts';

export const onDue =
  (world: ScheduleWorld): Handler<'schedule'> =>
  (job) =>
    inOneTransaction(world, async (work) => {
      await fence(work.tx, world.lease);
      await job.complete(work.tx);
      await happen(world, work, job.data.subject);
    });

async function happen(world: ScheduleWorld, work: Work, id: ScheduleId): Promise<void> {
  const { tx } = work;
  const { account } = world.lease;
  const row = await lockSchedule(tx, account, id);
  if (row === null || row.state !== 'active' || row.next_at === null) return;
  // It stays due: ending the hold asks for it, and what was missed meanwhile follows the rule.
  if (await isHeld(tx, account, 'share')) return;
  const plan = planDue({ ...ruleOf(row), nextAt: row.next_at, now: world.now() });
  await setNext(tx, account, id, plan.next);
  if (plan.skipped !== null) await noteSkipped(world, work, row, plan.skipped);
  if (plan.happens !== null) await submit(world, work, row, plan.happens);
  work.told.push(() => say(world, row, plan));
}

async function submit(
  world: ScheduleWorld,
  work: Work,
  row: ScheduleRow,
  due: Date,
): Promise<void> {
  const { tx } = work;
  const { account } = world.lease;
  await replaceWaiting(work, row);
  const submitted = await world.gate.submit(
    tx,
    { kind: 'scheduler' },
    { kind: 'send_message', chat: row.chat_id, text: row.body },
    { schedule: row.id },
  );
  const { decision, message, approval } = submitted;
  // Held between our look and the gate's: nothing of this has happened, and the next look finds the hold.
  if (decision.reason === 'hold') throw new Reconsider('held');
  const outcome = outcomeOf(submitted);
  const news = outcome === 'refused' && (await isNews(work, row, decision));
  await sql`INSERT INTO schedule_runs (account_id, schedule_id, due_at, outcome, reason, permit_id, approval_id, at)
    VALUES (${account}, ${row.id}, ${due}, ${outcome}, ${decision.reason},
      (SELECT permit_id FROM outbox WHERE account_id = ${account} AND id = ${message?.id ?? null}::uuid),
      ${approval}, ${world.now()})`.execute(tx);
  await appendEvent(tx, account, {
    kind: 'schedule',
    subject: row.id,
    data: { due: due.toISOString(), outcome, reason: decision.reason },
  });
  if (news) await tellRefused(world, work, row, decision.reason);
  if (message !== null) work.told.push(() => world.gate.hint());
}

const outcomeOf = ({ message, approval }: Submitted): 'queued' | 'waiting' | 'refused' => {
  if (message !== null) return 'queued';
  return approval === null ? 'refused' : 'waiting';
};

/** Told once, not every day anew. */
async function isNews(work: Work, row: ScheduleRow, { reason }: Decision): Promise<boolean> {
  const last = await work.tx
    .selectFrom('schedule_runs')
    .select(['outcome', 'reason'])
    .where('account_id', '=', row.account_id)
    .where('schedule_id', '=', row.id)
    .orderBy('due_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.outcome !== 'refused' || last.reason !== reason;
}

async function noteSkipped(
  world: ScheduleWorld,
  { tx }: Work,
  row: ScheduleRow,
  { first, last, count, reason }: Skipped,
): Promise<void> {
  const { account } = world.lease;
  await tx
    .insertInto('schedule_runs')
    .values({
      account_id: account,
      schedule_id: row.id,
      due_at: first,
      last_due_at: last,
      count,
      outcome: 'skipped',
      reason,
      at: world.now(),
    })
    .execute();
  await appendEvent(tx, account, {
    kind: 'schedule',
    subject: row.id,
    data: { due: first.toISOString(), outcome: 'skipped', reason, count },
  });
}

function say({ log }: ScheduleWorld, { id, chat_id: chat }: ScheduleRow, plan: Plan): void {
  if (plan.skipped !== null) {
    log.info('occurrences skipped', {
      event: id,
      count: plan.skipped.count,
      reason: plan.skipped.reason,
    });
  }
  if (plan.happens !== null) log.info('schedule is due', { event: id, chat });
}
