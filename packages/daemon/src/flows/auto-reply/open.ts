// Auto-reply, put together for the daemon: its worker, what it does when a hold ends, and the look for
// what a daemon before it left waiting.
import type { ComposeReply } from '@relay/core/ports/reply';
import type { OnRelease } from '../../gate/carry-out.ts';
import { inOneTransaction, within } from '../../jobs/work.ts';
import { fence } from '../../store/lease.ts';
import { askForWaiting } from './ask.ts';
import { onReply } from './reply.ts';
import type { AutoReplyWorld } from './work.ts';

export interface AutoReply {
  /** Asks for what waits and was forgotten, because its job failed for good. */
  lookAgain(): Promise<void>;
  /** Answers from now on. */
  start(compose: ComposeReply): Promise<void>;
  readonly onRelease: OnRelease;
}

export function openAutoReply(world: AutoReplyWorld): AutoReply {
  const lookAgain = () =>
    inOneTransaction(world, async (work) => {
      await fence(work.tx, world.lease);
      await askForWaiting(world, work);
    });
  return {
    lookAgain,
    async start(compose) {
      await lookAgain();
      // While some think, the next are made ready and the last are written down.
      const atHand = 2 * world.settings.auto_reply.concurrency;
      world.jobs.work('auto_reply', atHand, onReply(world, compose));
    },
    onRelease: (tx) => within(world, tx, (work) => askForWaiting(world, work)),
  };
}
