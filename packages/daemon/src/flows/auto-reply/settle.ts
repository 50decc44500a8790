// A line is dealt with: it waits no longer, the ledger says what came of it, and whoever is next in its
// session is asked for at the end of the queue. In the transaction of what came of it, with the job's end.
import { type AnswerReason, answerRow } from '@relay/core/ledger/answers';
import type { LedgerDetail } from '@relay/core/ledger/detail';
import type { Work } from '../../jobs/work.ts';
import { appendLedger } from '../../store/ledger.ts';
import { askForNext } from './ask.ts';
import type { OpenSession, WaitingLine } from './rows.ts';
import { firstWaiting } from './rows.ts';
import type { AutoReplyWorld, ReplyJob } from './work.ts';

/** One job, and the line it is about. */
export interface Task {
  readonly job: ReplyJob;
  readonly session: OpenSession;
  readonly line: WaitingLine;
}

export interface CameOf {
  readonly reason: AnswerReason;
  readonly detail?: LedgerDetail;
}

export async function settle(
  world: AutoReplyWorld,
  work: Work,
  task: Task,
  cameOf: CameOf,
): Promise<void> {
  await moveOn(world, work, task);
  await note(world, work, task, cameOf);
}

/** All of it but the ledger's row, which comes last in a transaction. */
export async function moveOn(
  world: AutoReplyWorld,
  work: Work,
  { job, session, line }: Task,
): Promise<void> {
  await work.tx
    .updateTable('session_messages')
    .set({ waiting: false })
    .where('account_id', '=', line.account_id)
    .where('session_id', '=', line.session_id)
    .where('id', '=', line.id)
    .execute();
  await job.complete(work.tx);
  const more = (await firstWaiting(work.tx, session)) !== null;
  if (more) await askForNext(world, work, [session.id]);
}

export async function note(
  world: AutoReplyWorld,
  work: Work,
  { session, line }: Pick<Task, 'session' | 'line'>,
  { reason, detail = {} }: CameOf,
): Promise<void> {
  const { id, chat_id: chat } = session;
  const { message_id: message } = line;
  const row = answerRow({
    actor: `auto_reply:${chat}`,
    message,
    reason,
    detail: { chat, session: id, ...detail },
  });
  await appendLedger(work.tx, world.lease.account, { ...row, detail: { ...row.detail } });
  work.told.push(() => world.log.info('auto-reply', { chat, message, state: row.outcome, reason }));
}

/** While all sending is held nothing is answered; the end of the hold asks for what waits. */
export async function park(world: AutoReplyWorld, work: Work, task: Task): Promise<void> {
  await task.job.complete(work.tx);
  await note(world, work, task, { reason: 'hold' });
}
