// Creates the auto-reply feature: its worker, its work after a hold, and the search for messages that an earlier daemon
// left unanswered.
import type { ComposeReply } from '@relay/core/ports/agent-turn';
import type { OnRelease } from '../../pipeline/gate/approvals.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { enqueueWaitingReplies } from './on-message.ts';
import type { AutoReplyDeps } from './settle.ts';
import { onReplyJob } from './turn.ts';

interface AutoReplyFeature {
  /** Queues waiting messages without a job, because their job failed for good. */
  enqueueForgotten(): Promise<void>;
  /** Starts answering. */
  start(compose: ComposeReply): Promise<void>;
  readonly onRelease: OnRelease;
}

export function openAutoReply(deps: AutoReplyDeps): AutoReplyFeature {
  const enqueueForgotten = () => transaction(deps, (work) => enqueueWaitingReplies(deps, work));
  return {
    enqueueForgotten,
    async start(compose) {
      await enqueueForgotten();
      // Twice the number of parallel model calls, so that other jobs can be prepared and finished meanwhile.
      const atHand = 2 * deps.settings.auto_reply.concurrency;
      deps.jobs.work('auto_reply', atHand, onReplyJob(deps, compose), deps.lease.account);
    },
    onRelease: (work) => enqueueWaitingReplies(deps, work),
  };
}
