// A line is dealt with: it waits no longer, the ledger says what became of it, and whoever is next in its
// session is asked for at the end of the queue. In the transaction of what became of it, with the job's end.
import { AUTO_REPLY_REASONS, type AutoReplyReason } from '@relay/core/auto-reply/reasons';
import type { RunId } from '@relay/core/ids';
import type { Work } from '../../jobs/work.ts';
import { appendLedger } from '../../store/ledger.ts';
import { askForNext } from './ask.ts';
import type { OpenSession, WaitingLine } from './rows.ts';
import { firstWaiting } from './rows.ts';
import type { AutoReplyWorld, ReplyJob } from './work.ts';

export interface Settled {
  readonly session: OpenSession;
  readonly line: WaitingLine;
  readonly reason: AutoReplyReason;
  readonly run?: RunId;
}

export async function settle(
  world: AutoReplyWorld,
  work: Work,
  job: ReplyJob,
  settled: Settled,
): Promise<void> {
  await moveOn(world, work, job, settled);
  await note(world, work, settled);
}

/** All of it but the ledger's row, which comes last in a transaction. */
export async function moveOn(
  world: AutoReplyWorld,
  work: Work,
  job: ReplyJob,
  { session, line }: Pick<Settled, 'session' | 'line'>,
): Promise<void> {
  await work.tx
    .updateTable('session_messages')
    .set({ waiting: false })
    .where('account_id', '=', line.account_id)
    .where('session_id', '=', line.session_id)
    .where('id', '=', line.id)
    .execute();
  await job.complete(work.tx);
  if ((await firstWaiting(work.tx, session)) !== null) {
    await askForNext(world, work, [session.id]);
  }
}

export async function note(
  world: AutoReplyWorld,
  work: Work,
  { session, line, reason, run }: Settled,
): Promise<void> {
  const { outcome } = AUTO_REPLY_REASONS[reason];
  const actor = `auto_reply:${session.chat_id}`;
  await appendLedger(work.tx, world.lease.account, {
    actor,
    action: 'auto_reply',
    subject: { kind: 'message', id: line.message_id },
    outcome,
    reason,
    detail: {
      chat: session.chat_id,
      session: session.id,
      ...(run === undefined ? {} : { run }),
    },
  });
  const { message_id: message } = line;
  work.told.push(() =>
    world.log.info('auto-reply', { chat: session.chat_id, message, state: outcome, reason }),
  );
}

/** While all sending is held nothing is answered; the end of the hold asks for what waits. */
export async function park(
  world: AutoReplyWorld,
  work: Work,
  job: ReplyJob,
  { chat_id: chat }: OpenSession,
): Promise<void> {
  await job.complete(work.tx);
  work.told.push(() => world.log.info('answer parked', { chat }));
}
