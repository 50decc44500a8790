// The end of an answer, one transaction: it is saved, submitted to the gate and settled, or nothing of it
// has happened. What the contact may no longer hear by then is not said.

import type { AutoReplyReason } from '@relay/core/auto-reply/reasons';
import { RelayError } from '@relay/core/errors';
import type { Submitted } from '../../gate/submit.ts';
import type { Work } from '../../jobs/work.ts';
import { inOneTransaction } from '../../jobs/work.ts';
import { endRun } from '../../store/runs.ts';
import { appendSessionLine } from '../../store/sessions.ts';
import type { Turn } from './begin.ts';
import { firstWaiting, grantOf, lockSession, type OpenSession } from './rows.ts';
import { moveOn, note, park, settle } from './settle.ts';
import type { AutoReplyWorld, ReplyJob } from './work.ts';

export function finish(
  world: AutoReplyWorld,
  job: ReplyJob,
  turn: Turn,
  text: string,
): Promise<void> {
  return inOneTransaction(world, async (work) => {
    const session = await lockCurrent(world, work, job, turn);
    if (session === null) return;
    const { account } = world.lease;
    const { line, run } = turn;
    const grant = await grantOf(work.tx, account, session.contact_id);
    if (grant === null || !grant.canRead) {
      await endRun(work.tx, account, run, 'discarded');
      return settle(world, work, job, { session, line, run, reason: 'grant_gone' });
    }
    await endRun(work.tx, account, run, 'done');
    if (text === '')
      return settle(world, work, job, { session, line, run, reason: 'nothing_to_say' });
    await moveOn(world, work, job, { session, line });
    const answer = await appendSessionLine(work.tx, session, {
      role: 'assistant',
      content: text,
      at: world.now(),
      run,
      answers: line.id,
    });
    const submitted = grant.canReply ? await submit(world, work, session, text) : null;
    if (submitted !== null) {
      await work.tx
        .updateTable('session_messages')
        .set({ outbox_id: submitted.message?.id ?? null, approval_id: submitted.approval })
        .where('account_id', '=', account)
        .where('session_id', '=', session.id)
        .where('id', '=', answer.id)
        .execute();
    }
    await note(world, work, { session, line, run, reason: reasonFor(submitted) });
  });
}

async function submit(
  { gate }: AutoReplyWorld,
  work: Work,
  { chat_id: chat }: OpenSession,
  text: string,
): Promise<Submitted> {
  const submitted = await gate.submit(
    work.tx,
    { kind: 'auto_reply', chat },
    { kind: 'send_message', chat, text },
  );
  if (submitted.message !== null) work.told.push(() => gate.hint());
  return submitted;
}

function reasonFor(submitted: Submitted | null): AutoReplyReason {
  if (submitted === null) return 'not_writable';
  if (submitted.message !== null) return 'answered';
  return submitted.approval === null ? 'refused' : 'draft';
}

/** The daemon stops: the job stays for the next, and so does the line. */
export async function letGo(world: AutoReplyWorld, { run }: Turn): Promise<never> {
  await inOneTransaction(world, (work) => endRun(work.tx, world.lease.account, run, 'discarded'));
  throw new Error('the daemon stopped in the middle of an answer');
}

/** What passes is tried once more; then nothing is sent, and what was said before the failure is kept. */
export async function giveUp(
  world: AutoReplyWorld,
  job: ReplyJob,
  turn: Turn,
  { error, partial }: { readonly error: unknown; readonly partial: string },
): Promise<void> {
  const { line, run } = turn;
  const told = error instanceof RelayError;
  const again = await inOneTransaction(world, async (work) => {
    const session = await lockCurrent(world, work, job, turn);
    if (session === null) return false;
    const failure = told ? error.message : error instanceof Error ? error.name : 'failed';
    await endRun(work.tx, world.lease.account, run, 'failed', failure);
    const mayPass = !told || error.passes;
    if (mayPass && (await failuresOf(work, turn)) < 2) return true;
    work.told.push(() =>
      world.log.error('the answer failed', { chat: session.chat_id, run, error }),
    );
    if (partial !== '') {
      await appendSessionLine(work.tx, session, {
        role: 'assistant',
        content: partial,
        at: world.now(),
        run,
        answers: line.id,
      });
    }
    const reason = partial === '' ? 'model_failed' : 'partial';
    await settle(world, work, job, { session, line, run, reason });
    return false;
  });
  if (again) throw error;
}

/** Of this line, the one that was just written down included. */
async function failuresOf(work: Work, { session, line }: Turn): Promise<number> {
  const { count } = await work.tx
    .selectFrom('runs')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('account_id', '=', line.account_id)
    .where('session_id', '=', session)
    .where('read_up_to', '=', line.id)
    .where('state', '=', 'failed')
    .executeTakeFirstOrThrow();
  return count;
}

/** Null when the session is gone, its line was dealt with, or a hold has begun; the run is discarded then. */
async function lockCurrent(
  world: AutoReplyWorld,
  work: Work,
  job: ReplyJob,
  turn: Turn,
): Promise<OpenSession | null> {
  const session = await lockSession(work.tx, world.lease, turn.session);
  const current = session !== null && (await firstWaiting(work.tx, session))?.id === turn.line.id;
  if (current && !session.held) return session;
  await endRun(work.tx, world.lease.account, turn.run, 'discarded');
  if (current) await park(world, work, job, session);
  else await job.complete(work.tx);
  return null;
}
