// The end of an answer, one transaction: it is saved, submitted to the gate and settled, or nothing of it
// has happened. What the contact need not or may not hear any more is not said.
import { needless } from '@relay/core/auto-reply/consider';
import type { Work } from '../../jobs/work.ts';
import { inOneTransaction } from '../../jobs/work.ts';
import { endRun } from '../../store/runs.ts';
import { appendSessionLine } from '../../store/sessions.ts';
import { askForNext } from './ask.ts';
import type { Turn } from './begin.ts';
import { firstWaiting, lockSession } from './rows.ts';
import { say } from './say.ts';
import { moveOn, note, park, settle, type Task } from './settle.ts';
import { standingOf } from './situation.ts';
import type { AutoReplyWorld } from './work.ts';

export interface Composed {
  readonly text: string;
  /** It read what others wrote outside of this chat. */
  readonly outside: boolean;
}

export function finish(
  world: AutoReplyWorld,
  turn: Turn,
  { text, outside }: Composed,
): Promise<void> {
  return inOneTransaction(world, async (work) => {
    const task = await lockCurrent(world, work, turn);
    if (task === null) return;
    const { account } = world.lease;
    const { run, late } = turn;
    const standing = await standingOf(work.tx, task.session, task.line);
    const reason = needless(standing) ?? (text === '' ? 'nothing_said' : null);
    if (reason !== null) {
      await endRun(work.tx, account, run, reason === 'nothing_said' ? 'done' : 'discarded');
      return settle(world, work, task, { reason, detail: { run } });
    }
    await endRun(work.tx, account, run, 'done');
    const answer = await appendAnswer(world, work, turn, text);
    await moveOn(world, work, task);
    if (standing.grant?.canReply !== true) {
      return note(world, work, task, { reason: 'read_only', detail: { run } });
    }
    const cameOf = await say(world, work, task.session, {
      answer,
      text,
      run,
      late,
      outside,
      answers: task.line.message_id,
    });
    await note(world, work, task, { ...cameOf, detail: { run, ...cameOf.detail } });
  });
}

/** Behind the line that it answers; gives its number. */
export async function appendAnswer(
  world: AutoReplyWorld,
  work: Work,
  { task, run }: Turn,
  content: string,
): Promise<number> {
  const { id } = await appendSessionLine(work.tx, task.session, {
    role: 'assistant',
    content,
    at: world.now(),
    run,
    answers: task.line.id,
  });
  return id;
}

/**
 * Null when the session is gone, its line was dealt with, another line comes before it since two sessions were merged,
 * or a hold has begun. The run is discarded then.
 */
export async function lockCurrent(
  world: AutoReplyWorld,
  work: Work,
  { task, run }: Turn,
): Promise<Task | null> {
  const session = await lockSession(work.tx, world.lease, task.session.id);
  const line = session === null ? null : await firstWaiting(work.tx, session);
  const current = session !== null && line?.id === task.line.id ? { ...task, session } : null;
  if (current !== null && session?.held === false) return current;
  await endRun(work.tx, world.lease.account, run, 'discarded');
  if (current !== null) await park(world, work, current);
  else {
    await task.job.complete(work.tx);
    if (session !== null && line !== null) await askForNext(world, work, [session.id]);
  }
  return null;
}
