// In a chat somebody looks on: what would be sent is shown to them, and the call waits for their yes or no.
// Nobody answers in time: the question stays among the approvals, and the model is told that it waits.
import { type ApprovalId, approvalId } from '@relay/core/ids';
import type { AssistantSink } from '@relay/core/ports/assistant';
import { listApprovals } from '../../gate/approval-list.ts';
import { ANSWER_WITHIN_MS } from '../../tools/assistant/attempt.ts';
import type { OwnersAnswer } from '../../tools/assistant/run.ts';
import type { AssistantWorld } from './world.ts';

/** The floor when a hint is lost. */
const POLL_MS = 1_000;

export const askedInChat =
  (world: Pick<AssistantWorld, 'db' | 'lease' | 'events' | 'clock'>, sink: AssistantSink) =>
  async (asked: ApprovalId, signal: AbortSignal): Promise<OwnersAnswer> => {
    const { db, lease, events, clock } = world;
    const end = clock.now() + ANSWER_WITHIN_MS;
    let id = asked;
    let wake = () => {};
    const unsubscribe = events.subscribe(() => wake());
    try {
      for (let shown = false; ; shown = true) {
        const [approval] = await listApprovals(db, lease.account, { id });
        if (approval === undefined || clock.now() >= end) return { kind: 'waiting' };
        if (approval.replaced_by !== null) {
          // In other words of the owner's: those are what waits now, and what is shown.
          id = approvalId(approval.replaced_by);
          shown = false;
          continue;
        }
        if (approval.state === 'approved') return { kind: 'approved' };
        if (approval.state !== 'pending') return { kind: 'rejected', why: approval.answer };
        if (!shown) sink({ type: 'approval', approval });
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await Promise.race([woken, clock.wait(POLL_MS, signal)]);
      }
    } finally {
      unsubscribe();
    }
  };
