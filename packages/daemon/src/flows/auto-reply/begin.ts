// The beginning of an answer, one transaction: what is to be answered, whether it may be, and what the model
// may know. Nothing here is lost when the answer is: the line waits until it is dealt with.
import type { ChatId, RunId, SessionId } from '@relay/core/ids';
import type { ReplyContext } from '@relay/core/ports/reply';
import { inOneTransaction } from '../../jobs/work.ts';
import { beginRun } from '../../store/runs.ts';
import { firstWaiting, grantOf, linesUpTo, lockSession, type WaitingLine } from './rows.ts';
import { park, settle } from './settle.ts';
import type { AutoReplyWorld, ReplyJob } from './work.ts';

/** So many lines of the session are the context of a call. */
const HISTORY = 20;

export interface Turn {
  readonly session: SessionId;
  readonly chat: ChatId;
  readonly run: RunId;
  readonly line: WaitingLine;
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
    const { account } = world.lease;
    const grant = await grantOf(work.tx, account, session.contact_id);
    if (grant === null || !grant.canRead) {
      await settle(world, work, job, { session, line, reason: 'grant_gone' });
      return null;
    }
    const lines = await linesUpTo(work.tx, line, HISTORY);
    const { persona = null, model = null } = grant.options;
    const run = await beginRun(work.tx, {
      account,
      actor: `auto_reply:${session.chat_id}`,
      of: { session: session.id },
      epoch: null,
      readUpTo: line.id,
    });
    return {
      session: session.id,
      chat: session.chat_id,
      run,
      line,
      context: { run, sender: grant.displayName, persona, model, lines },
    };
  });
}
