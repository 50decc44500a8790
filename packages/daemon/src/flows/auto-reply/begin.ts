// The beginning of an answer, one transaction: what is to be answered, whether it may be now, and what the
// model may know. Nothing here is lost when the answer is: the line waits until it is dealt with.
import { consider } from '@relay/core/auto-reply/consider';
import { linesForLoop } from '@relay/core/auto-reply/loop';
import type { ChatId, RunId, SessionId } from '@relay/core/ids';
import type { ReplyContext } from '@relay/core/ports/reply';
import type { Work } from '../../jobs/work.ts';
import { inOneTransaction } from '../../jobs/work.ts';
import { beginRun } from '../../store/runs.ts';
import { isSpent } from './budget.ts';
import { putOff, rest } from './rest.ts';
import {
  answersSince,
  firstWaiting,
  type GrantOfContact,
  grantOf,
  linesUpTo,
  lockSession,
  type OpenSession,
  type SeenLine,
  type WaitingLine,
} from './rows.ts';
import { park, settle } from './settle.ts';
import type { AutoReplyWorld, ReplyJob } from './work.ts';

/** So many lines of the session are the context of a call. */
const HISTORY = 20;
const DAY = 24 * 3_600_000;

export interface Turn {
  readonly session: SessionId;
  readonly chat: ChatId;
  readonly run: RunId;
  readonly line: WaitingLine;
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
    if (session.held) {
      await park(world, work, job, session);
      return null;
    }
    return decide(world, work, job, { session, line });
  });
}

async function decide(
  world: AutoReplyWorld,
  work: Work,
  job: ReplyJob,
  of: { readonly session: OpenSession; readonly line: WaitingLine },
): Promise<Turn | null> {
  const { session, line } = of;
  const grant = await grantOf(work.tx, world.lease.account, session.contact_id);
  const limits = world.settings.auto_reply;
  const now = world.now();
  const lines = await linesUpTo(work.tx, line, Math.max(HISTORY, linesForLoop(limits)));
  const verdict = consider(
    {
      now,
      grant,
      writtenAt: line.at,
      quietHours: grant?.options.quietHours ?? null,
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      rest:
        session.resting_until === null
          ? null
          : { until: session.resting_until, count: session.rests },
      lines,
      answers: await answersSince(
        work.tx,
        session,
        new Date(now.getTime() - DAY),
        limits.answers_per_day,
      ),
    },
    limits,
  );
  switch (verdict.to) {
    case 'skip':
      await settle(world, work, job, { ...of, reason: verdict.reason });
      return null;
    case 'wait':
      await putOff(world, work, job, of, verdict.until);
      return null;
    case 'rest':
      await rest(world, work, job, { ...of, name: grant?.displayName ?? '' }, verdict);
      return null;
    case 'answer':
      if (grant === null) return null;
      if (await isSpent(world, work.tx)) {
        await settle(world, work, job, { ...of, reason: 'tokens_spent' });
        return null;
      }
      return turnOf(world, work, of, { late: verdict.late, grant, lines: lines.slice(-HISTORY) });
  }
}

async function turnOf(
  world: AutoReplyWorld,
  work: Work,
  { session, line }: { readonly session: OpenSession; readonly line: WaitingLine },
  about: {
    readonly late: boolean;
    readonly grant: GrantOfContact;
    readonly lines: readonly SeenLine[];
  },
): Promise<Turn> {
  const { late, grant, lines } = about;
  const { persona = null, model = null } = grant.options;
  const { id, chat_id: chat } = session;
  const run = await beginRun(work.tx, {
    account: world.lease.account,
    actor: `auto_reply:${chat}`,
    of: { session: id },
    epoch: null,
    readUpTo: line.id,
  });
  const context = { run, sender: grant.displayName, persona, model, lines };
  return { session: id, chat, run, line, late, context };
}
