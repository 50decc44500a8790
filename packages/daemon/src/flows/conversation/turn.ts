// A turn of a conversation's agent. The model runs between two transactions, never inside one; what it
// wanted counts only if nothing overtook it meanwhile, and what overtakes it ends it.
import type { TakeTurn, TurnOutcome } from '@relay/core/ports/turn';
import { fenced } from '../../store/fenced.ts';
import { saveTaint } from '../../store/taint.ts';
import type { Begun } from './begin.ts';
import { begin } from './begin.ts';
import { finish, giveUp, letGo } from './finish.ts';
import { addSpent } from './runs.ts';
import { Tab } from './tab.ts';
import type { Wake } from './wake.ts';
import { acknowledge, failUndelivered, fireHeartbeat } from './wake.ts';
import type { ConversationWorld } from './work.ts';

export function onWake(world: ConversationWorld, takeTurn: TakeTurn) {
  return async (job: Wake, stop: AbortSignal): Promise<void> => {
    const { wake, subject, epoch } = job.data;
    if (wake === 'heartbeat') return fireHeartbeat(world, job);
    if (wake === 'undelivered') return failUndelivered(world, job);
    if (wake === 'acknowledged') return acknowledge(world, job);
    const turn = world.running.start(subject, epoch, stop);
    try {
      const begun = await begin(world, job, wake);
      if (begun === null) return;
      const { context } = begun;
      const thought = await think(world, takeTurn, begun, turn.signal);
      turn.end();
      if (thought === 'ended') return await letGo(world, job, context);
      if ('failed' in thought) return await giveUp(world, job, context, thought.failed);
      await finish(world, job, context, thought);
    } finally {
      turn.end();
    }
  };
}

/** Whatever the agent does, and however long it ignores the signal. */
async function think(
  world: ConversationWorld,
  takeTurn: TakeTurn,
  { context, used }: Begun,
  signal: AbortSignal,
): Promise<TurnOutcome | { readonly failed: unknown } | 'ended'> {
  if (signal.aborted) return 'ended';
  const ended = Promise.withResolvers<'ended'>();
  signal.addEventListener('abort', () => ended.resolve('ended'), { once: true });
  const { instance: id, run } = context;
  const tab = new Tab(world, used, (spent) => addSpent(world, { id, run }, spent));
  const outcome = Promise.resolve()
    .then(() =>
      takeTurn(context, {
        signal,
        spent: (spent) => tab.add(spent),
        reads: (taint) =>
          fenced(world.db, world.lease, (tx) => saveTaint(tx, world.lease.account, run, taint)),
      }),
    )
    .finally(() => tab.settled())
    .catch((error: unknown) => (signal.aborted ? ('ended' as const) : { failed: error }));
  return Promise.race([outcome, ended.promise]);
}
