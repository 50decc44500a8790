// Runs due schedules. One transaction records the run, submits its message to the gate and sets the next timer, so that
// after a crash at any point each run has one row and at most one message.
import type { PermitId, ScheduleId } from '@relay/contract/ids';
import { withContent } from '@relay/core/messages/outgoing';
import { type Decision, type ReasonCode, reasonText } from '@relay/core/policy/reasons';
import { describeRule } from '@relay/core/schedule/format';
import {
  type CatchUpPlan,
  nextOccurrence,
  planDueRun,
  type SkippedRuns,
} from '@relay/core/schedule/occurrences';
import { sql } from 'kysely';
import type { OnRelease } from '../../pipeline/gate/approvals.ts';
import { type GateResult, isOnHold, notifyOwner } from '../../pipeline/gate/gate.ts';
import { appendEvent } from '../../platform/db/events.ts';
import {
  TransactionConflict,
  transaction,
  type UnitOfWork,
} from '../../platform/db/transaction.ts';
import type { JobHandler } from '../../platform/jobs/queue-worker.ts';
import type { ScheduleDeps } from './service.ts';
import { lockSchedule, ruleOf, type ScheduleRow, setNextOccurrence } from './sql.ts';

export const onScheduleDue =
  (deps: ScheduleDeps): JobHandler<'schedule'> =>
  (job) =>
    transaction(deps, async (work) => {
      await job.complete(work.tx);
      await runDueSchedule(deps, work, job.data.subject);
    });

async function runDueSchedule(deps: ScheduleDeps, work: UnitOfWork, id: ScheduleId): Promise<void> {
  const { tx } = work;
  const { account } = deps.lease;
  const row = await lockSchedule(tx, account, id);
  if (row === null || row.state !== 'active' || row.next_at === null) return;
  // It stays due: the end of the hold queues it again, and missed runs follow the catch-up rule.
  if (await isOnHold(tx, account, 'share')) return;
  const plan = planDueRun({ ...ruleOf(row), nextAt: row.next_at, now: deps.now() });
  await setNextOccurrence(tx, account, id, plan.next);
  if (plan.skippedRuns !== null) await noteSkipped(deps, work, row, plan.skippedRuns);
  if (plan.runAt !== null) await submitOccurrence(deps, work, row, plan.runAt);
  work.afterCommit.push(() => logDueSchedule(deps, row, plan));
}

async function submitOccurrence(
  deps: ScheduleDeps,
  work: UnitOfWork,
  row: ScheduleRow,
  due: Date,
): Promise<void> {
  const { tx } = work;
  const { account } = deps.lease;
  await replaceWaiting(work, row);
  const submitted = await deps.gate.submit(
    tx,
    { kind: 'scheduler' },
    {
      kind: 'send_message',
      chat: row.chat_id,
      text: row.body,
      ...(row.content === null ? {} : { content: row.content }),
    },
    { schedule: row.id },
  );
  const { decision, message, approval } = submitted;
  // A hold began between our check and the gate's: the transaction is rolled back, and the retry finds the hold.
  if (decision.reason === 'hold') throw new TransactionConflict('held');
  const outcome = outcomeOf(submitted);
  const news = outcome === 'refused' && (await isNewRefusal(work, row, decision));
  await sql`INSERT INTO schedule_runs (account_id, schedule_id, due_at, outcome, reason, permit_id, approval_id, at)
    VALUES (${account}, ${row.id}, ${due}, ${outcome}, ${decision.reason},
      (SELECT permit_id FROM outbox WHERE account_id = ${account} AND id = ${message?.id ?? null}::uuid),
      ${approval}, ${deps.now()})`.execute(tx);
  await appendEvent(tx, account, {
    kind: 'schedule',
    subject: row.id,
    data: { due: due.toISOString(), outcome, reason: decision.reason },
  });
  if (news) await notifyOwnerOfRefusal(deps, work, row, decision.reason);
}

const outcomeOf = ({ message, approval }: GateResult): 'queued' | 'waiting' | 'refused' => {
  if (message !== null) return 'queued';
  return approval === null ? 'refused' : 'waiting';
};

/** The owner is notified once, not at every run. */
async function isNewRefusal(
  work: UnitOfWork,
  row: ScheduleRow,
  { reason }: Decision,
): Promise<boolean> {
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
  deps: ScheduleDeps,
  { tx }: UnitOfWork,
  row: ScheduleRow,
  { first, last, count, reason }: SkippedRuns,
): Promise<void> {
  const { account } = deps.lease;
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
      at: deps.now(),
    })
    .execute();
  await appendEvent(tx, account, {
    kind: 'schedule',
    subject: row.id,
    data: { due: first.toISOString(), outcome: 'skipped', reason, count },
  });
}

function logDueSchedule(
  { log }: ScheduleDeps,
  { id, chat_id: chat }: ScheduleRow,
  plan: CatchUpPlan,
): void {
  if (plan.skippedRuns !== null) {
    log.info('runs skipped', {
      event: id,
      count: plan.skippedRuns.count,
      reason: plan.skippedRuns.reason,
    });
  }
  if (plan.runAt !== null) log.info('schedule is due', { event: id, chat });
}

// Messages of a schedule would pile up while WhatsApp is unreachable or the outbox is long, and then be sent together.
// Unless the schedule catches up all missed runs, only the newest message stays queued: it replaces the one before,
// whose permit is revoked, unless that was already handed to the transport.

async function replaceWaiting({ tx }: UnitOfWork, row: ScheduleRow): Promise<void> {
  if (row.catch_up === 'all') return;
  // A row that the deliverer has locked is being sent.
  const { rows } = await sql<{ id: PermitId }>`
    UPDATE permits SET revoked_at = now(), mac = NULL WHERE account_id = ${row.account_id} AND id IN (
      SELECT o.permit_id FROM outbox o JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
      WHERE o.account_id = ${row.account_id} AND o.state = 'pending' AND o.attempts = 0
        AND p.schedule_id = ${row.id} AND p.revoked_at IS NULL FOR UPDATE OF o SKIP LOCKED)
    RETURNING id`.execute(tx);
  if (rows.length === 0) return;
  await sql`UPDATE schedule_runs SET outcome = 'skipped', reason = 'replaced'
    WHERE account_id = ${row.account_id} AND schedule_id = ${row.id}
      AND permit_id = ANY(${rows.map(({ id }) => id)}::uuid[])`.execute(tx);
}

// Notifies the owner on WhatsApp, if they want that, when a scheduled message was refused.

/** Enough text to recognise the message. */
const SHOWN_CHARACTERS = 60;

async function notifyOwnerOfRefusal(
  deps: ScheduleDeps,
  work: UnitOfWork,
  row: ScheduleRow,
  reason: ReasonCode,
): Promise<void> {
  if (!deps.settings.tell_owner_on_whatsapp) return;
  const { rule, zone } = ruleOf(row);
  const said = withContent(row.body, row.content);
  const words =
    said.length > SHOWN_CHARACTERS ? `${said.slice(0, SHOWN_CHARACTERS - 1).trimEnd()}…` : said;
  const text = `Relay: a scheduled message was not sent: "${words}" (${describeRule(rule, zone)}). ${reasonText(reason)}`;
  const { gate, lease } = deps;
  await notifyOwner(work.tx, { gate, account: lease.account }, text.toWellFormed());
}

// At start, and when the clock was set back, the next runs are computed again. Past runs stay; a run that was skipped
// at a time that is now in the future is due again.

export async function recomputeSchedules(deps: ScheduleDeps): Promise<void> {
  await transaction(deps, async (work) => {
    await reopenSkipped(deps, work);
    for (const row of await lockActive(deps, work)) await recomputeSchedule(deps, work, row);
  });
}

async function reopenSkipped({ lease, now }: ScheduleDeps, { tx }: UnitOfWork): Promise<void> {
  await sql`WITH undone AS (
      DELETE FROM schedule_runs WHERE account_id = ${lease.account} AND outcome = 'skipped'
        AND due_at > ${now()} RETURNING schedule_id, due_at)
    UPDATE schedules s SET state = 'active', next_at = u.due_at FROM undone u
    WHERE s.account_id = ${lease.account} AND s.id = u.schedule_id AND s.state = 'done'`.execute(
    tx,
  );
}

type ActiveSchedule = ScheduleRow & { readonly decided: Date | null };

async function lockActive({ lease }: ScheduleDeps, { tx }: UnitOfWork): Promise<ActiveSchedule[]> {
  const { rows } = await sql<ActiveSchedule>`
    SELECT s.*, (SELECT max(r.due_at) FROM schedule_runs r WHERE r.account_id = s.account_id
      AND r.schedule_id = s.id AND r.outcome <> 'skipped') AS decided
    FROM schedules s WHERE s.account_id = ${lease.account} AND s.state = 'active'
    ORDER BY s.id FOR UPDATE OF s`.execute(tx);
  return rows;
}

async function recomputeSchedule(
  deps: ScheduleDeps,
  { tx }: UnitOfWork,
  row: ActiveSchedule,
): Promise<void> {
  await setNextOccurrence(tx, deps.lease.account, row.id, nextDueAt(row, deps.now()));
}

/** An overdue run stays due, and gets its timer back even if its job was given up. */
function nextDueAt(row: ActiveSchedule, now: Date): Date | null {
  if (row.next_at !== null && row.next_at <= now) return row.next_at;
  const { rule, zone } = ruleOf(row);
  const decided = row.decided ?? now;
  return nextOccurrence(rule, zone, decided > now ? decided : now);
}

/** After a hold, queues the schedules that came due, in the transaction that ends it. */
export const enqueueHeldSchedules =
  (deps: ScheduleDeps): OnRelease =>
  async ({ tx, afterCommit }) => {
    const { account } = deps.lease;
    const rows = await tx
      .selectFrom('schedules')
      .select('id')
      .where('account_id', '=', account)
      .where('state', '=', 'active')
      .where('next_at', '<=', deps.now())
      .execute();
    const job = (id: ScheduleId) => ({
      key: `${account}:${id}`,
      data: { account, subject: id, epoch: 0 },
    });
    await deps.jobs.enqueue(
      tx,
      'schedule',
      rows.map(({ id }) => job(id)),
    );
    if (rows.length > 0) afterCommit.push(() => deps.jobs.wake('schedule'));
  };
