// Ends the handling of a message by auto-reply: settles it, or leaves it for later because of a hold, quiet hours or a
// cooldown. Each of these writes the ledger and completes the job in the caller's transaction.

import type { Settings } from '@relay/contract/settings';
import {
  type Cooldown,
  cooldownAnswerReason,
  cooldownNotice,
  isFirstCooldown,
} from '@relay/core/auto-reply/loop-guard';
import { type AnswerReason, answerLedgerRow, type LedgerDetail } from '@relay/core/ledger/rows';
import { type Gate, notifyOwner } from '../../pipeline/gate/gate.ts';
import { appendEvent } from '../../platform/db/events.ts';
import { appendLedger } from '../../platform/db/ledger.ts';
import type { UnitOfWork } from '../../platform/db/transaction.ts';
import type { Engine } from '../../platform/jobs/engine.ts';
import type { Job } from '../../platform/jobs/queue-worker.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import { enqueueReplies } from './on-message.ts';
import { findFirstWaiting, type ReplySession, type WaitingLine } from './sql.ts';

export interface AutoReplyDeps extends Engine {
  readonly gate: Gate;
  readonly settings: Pick<Settings, 'agent' | 'auto_reply' | 'tell_owner_on_whatsapp'>;
}

export type ReplyJob = Pick<Job<'auto_reply'>, 'data' | 'complete'>;

/** A job and the line it answers. */
export interface ReplyTask {
  readonly job: ReplyJob;
  readonly session: ReplySession;
  readonly line: WaitingLine;
}

export interface ReplyOutcome {
  readonly reason: AnswerReason;
  readonly detail?: LedgerDetail;
}

export async function settleReply(
  deps: AutoReplyDeps,
  work: UnitOfWork,
  task: ReplyTask,
  cameOf: ReplyOutcome,
): Promise<void> {
  await finishLine(deps, work, task);
  await recordReply(deps, work, task, cameOf);
}

/** Everything except the ledger entry, which comes last in a transaction. */
export async function finishLine(
  deps: AutoReplyDeps,
  work: UnitOfWork,
  { job, session, line }: ReplyTask,
): Promise<void> {
  await work.tx
    .updateTable('session_messages')
    .set({ waiting: false })
    .where('account_id', '=', line.account_id)
    .where('session_id', '=', line.session_id)
    .where('id', '=', line.id)
    .execute();
  await job.complete(work.tx);
  const more = (await findFirstWaiting(work.tx, session)) !== null;
  if (more) await enqueueReplies(deps, work, [session.id]);
}

export async function recordReply(
  deps: AutoReplyDeps,
  work: UnitOfWork,
  { session, line }: Pick<ReplyTask, 'session' | 'line'>,
  { reason, detail = {} }: ReplyOutcome,
): Promise<void> {
  const { id, chat_id: chat } = session;
  const { message_id: message } = line;
  const row = answerLedgerRow({
    actor: `auto_reply:${chat}`,
    message,
    reason,
    detail: { chat, session: id, ...detail },
  });
  await appendLedger(work.tx, deps.lease.account, { ...row, detail: { ...row.detail } });
  work.afterCommit.push(() =>
    deps.log.info('auto-reply', { chat, message, state: row.outcome, reason }),
  );
}

/** During a hold nothing is answered; the end of the hold queues the waiting messages. */
export async function parkReply(
  deps: AutoReplyDeps,
  work: UnitOfWork,
  task: ReplyTask,
): Promise<void> {
  await task.job.complete(work.tx);
  await recordReply(deps, work, task, { reason: 'hold' });
}

// Messages received in quiet hours are answered afterwards; messages received during a cooldown are not.

/** From here on the timer, not the job, will handle the session. */
export async function postponeReply(
  deps: AutoReplyDeps,
  work: UnitOfWork,
  task: ReplyTask,
  until: Date,
): Promise<void> {
  const { account } = deps.lease;
  const subject = task.session.id;
  await setTimer(work.tx, { account, kind: 'auto_reply', subject, epoch: 0 }, until);
  await task.job.complete(work.tx);
  const detail = { until: until.toISOString() };
  await recordReply(deps, work, task, { reason: 'quiet_hours', detail });
}

export async function startCooldown(
  deps: AutoReplyDeps,
  work: UnitOfWork,
  task: ReplyTask,
  { rest, name }: { readonly rest: Cooldown; readonly name: string },
): Promise<void> {
  const { account } = deps.lease;
  const { session } = task;
  const { cause, count } = rest;
  const until = rest.until.toISOString();
  await work.tx
    .updateTable('sessions')
    .set({ resting_until: rest.until, rests: count, rest_reason: cause })
    .where('account_id', '=', account)
    .where('id', '=', session.id)
    .execute();
  await appendEvent(work.tx, account, {
    kind: 'auto_reply',
    subject: session.contact_id,
    data: { state: 'resting', until, cause, count },
  });
  await settleReply(deps, work, task, { reason: cooldownAnswerReason(rest), detail: { until } });
  work.afterCommit.push(() =>
    deps.log.warn('auto-reply cooldown', { chat: session.chat_id, reason: cause, count }),
  );
  if (!isFirstCooldown(rest) || !deps.settings.tell_owner_on_whatsapp) return;
  await notifyOwner(work.tx, { gate: deps.gate, account }, cooldownNotice(name, rest));
}
