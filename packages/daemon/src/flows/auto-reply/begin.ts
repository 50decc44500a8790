// The beginning of an answer, one transaction: what is to be answered, whether it may be now, and what the
// model may know. Nothing here is lost when the answer is: the line waits until it is dealt with.
import { consider } from '@relay/core/auto-reply/consider';
import { linesForLoop } from '@relay/core/auto-reply/loop';
import type { RunId } from '@relay/core/ids';
import { UNTAINTED } from '@relay/core/policy/facts';
import type { ReplyContext } from '@relay/core/ports/reply';
import type { Work } from '../../jobs/work.ts';
import { inOneTransaction } from '../../jobs/work.ts';
import { beginRun } from '../../store/runs.ts';
import { isSpent } from './budget.ts';
import { putOff, rest } from './rest.ts';
import { firstWaiting, lockSession, restOf } from './rows.ts';
import { park, settle, type Task } from './settle.ts';
import {
  answersSince,
  linesUpTo,
  type SeenLine,
  type StandingNow,
  standingOf,
} from './situation.ts';
import type { AutoReplyWorld, ReplyJob } from './work.ts';

/** So many lines of the session are the context of a call. */
const HISTORY = 20;
const DAY = 24 * 3_600_000;

export interface Turn {
  readonly task: Task;
  readonly run: RunId;
  /** It waited so long that its answer waits for the owner. */
  readonly late: boolean;
  readonly context: ReplyContext;
}

/** Null when there is nothing to think about; the job is settled then. */
export function begin(world: AutoReplyWorld, job: ReplyJob): Promise<Turn | null> {
  return inOneTransaction(world, async (work) => {
    const session = await lockSession(work.tx, world.lease, job.data.subject);
    const line = session === null ? null : await firstWaiting(work.tx, session);
    if (session === null || line === null) {
      await job.complete(work.tx);
      return null;
    }
    const task = { job, session, line };
    if (session.held) {
      await park(world, work, task);
      return null;
    }
    return decide(world, work, task);
  });
}

async function decide(world: AutoReplyWorld, work: Work, task: Task): Promise<Turn | null> {
  const { session, line } = task;
  const { auto_reply: limits } = world.settings;
  const now = world.now();
  const standing = await standingOf(work.tx, session, line);
  const lines = await linesUpTo(work.tx, line, Math.max(HISTORY, linesForLoop(limits)));
  const answers = await answersSince(work.tx, session, {
    since: new Date(now.getTime() - DAY),
    most: limits.answers_per_day,
  });
  const verdict = consider(
    {
      ...standing,
      now,
      writtenAt: line.at,
      quietHours: standing.options.quietHours ?? null,
      zone: world.zone,
      rest: restOf(session),
      lines,
      answers,
    },
    limits,
  );
  switch (verdict.to) {
    case 'wait':
      await putOff(world, work, task, verdict.until);
      return null;
    case 'rest':
      await rest(world, work, task, { rest: verdict.rest, name: standing.displayName });
      return null;
    case 'skip': {
      const { reason } = verdict;
      const detail = 'until' in verdict ? { until: verdict.until.toISOString() } : {};
      await settle(world, work, task, { reason, detail });
      return null;
    }
    case 'answer':
      if (await isSpent(world, work.tx)) {
        await settle(world, work, task, { reason: 'budget_used' });
        return null;
      }
      return turnOf(world, work, task, { ...standing, ...verdict, lines: lines.slice(-HISTORY) });
  }
}

async function turnOf(
  world: AutoReplyWorld,
  work: Work,
  task: Task,
  known: StandingNow & { readonly late: boolean; readonly lines: readonly SeenLine[] },
): Promise<Turn> {
  const { session, line } = task;
  const { displayName: sender, options, late, lines } = known;
  const run = await beginRun(work.tx, {
    account: world.lease.account,
    actor: `auto_reply:${session.chat_id}`,
    of: { session: session.id },
    epoch: null,
    readUpTo: line.id,
    taint: { ...UNTAINTED, chats: [session.chat_id] },
  });
  const { persona = null, model = null } = options;
  return {
    task,
    run,
    late,
    context: { run, chat: session.chat_id, sender, persona, model, lines },
  };
}
