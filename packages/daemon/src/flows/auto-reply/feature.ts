// Auto-reply, put together for the daemon: its worker, what it does when a hold ends, and the look for
// what a daemon before it left waiting.
import type { ComposeReply } from '@relay/core/ports/agent-turn';
import type { OnRelease } from '../../gate/approvals.ts';
import { inOneTransaction, joinTransaction } from '../../jobs/unit-of-work.ts';
import { fence } from '../../store/lease.ts';
import { enqueueWaitingReplies } from './on-message.ts';
import { type AutoReplyDeps, onReplyJob } from './turn.ts';

export interface AutoReplyFeature {
  /** Asks for what waits and was forgotten, because its job failed for good. */
  lookAgain(): Promise<void>;
  /** Answers from now on. */
  start(compose: ComposeReply): Promise<void>;
  readonly onRelease: OnRelease;
}

export function openAutoReply(world: AutoReplyDeps): AutoReplyFeature {
  const lookAgain = () =>
    inOneTransaction(world, async (work) => {
      await fence(work.tx, world.lease);
      await enqueueWaitingReplies(world, work);
    });
  return {
    lookAgain,
    async start(compose) {
      await lookAgain();
      // While some think, the next are made ready and the last are written down.
      const atHand = 2 * world.settings.auto_reply.concurrency;
      world.jobs.work('auto_reply', atHand, onReplyJob(world, compose));
    },
    onRelease: (tx) => joinTransaction(world, tx, (work) => enqueueWaitingReplies(world, work)),
  };
}
