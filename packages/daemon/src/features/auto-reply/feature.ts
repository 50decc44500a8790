// Auto-reply, put together for the daemon: its worker, what it does when a hold ends, and the look for
// what a daemon before it left waiting.
import type { ComposeReply } from '@relay/core/ports/agent-turn';
import type { OnRelease } from '../../pipeline/gate/approvals.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { enqueueWaitingReplies } from './on-message.ts';
import { type AutoReplyDeps, onReplyJob } from './turn.ts';

interface AutoReplyFeature {
  /** Asks for what waits and was forgotten, because its job failed for good. */
  lookAgain(): Promise<void>;
  /** Answers from now on. */
  start(compose: ComposeReply): Promise<void>;
  readonly onRelease: OnRelease;
}

export function openAutoReply(deps: AutoReplyDeps): AutoReplyFeature {
  const lookAgain = () => transaction(deps, (work) => enqueueWaitingReplies(deps, work));
  return {
    lookAgain,
    async start(compose) {
      await lookAgain();
      // While some think, the next are made ready and the last are written down.
      const atHand = 2 * deps.settings.auto_reply.concurrency;
      deps.jobs.work('auto_reply', atHand, onReplyJob(deps, compose));
    },
    onRelease: (work) => enqueueWaitingReplies(deps, work),
  };
}
