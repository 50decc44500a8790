// While all sending is held no agent thinks: a turn that would begin or finish then is parked, which needs
// no note, because the state of its conversation says that it wants one. Ending the hold asks for them anew.
import { TURN_IN, TURN_STATES } from '@relay/core/conversation/turns';
import type { OnRelease } from '../../gate/carry-out.ts';
import type { Work } from '../../jobs/work.ts';
import { within } from '../../jobs/work.ts';
import type { Job } from '../../jobs/worker.ts';
import { askForTurns } from './ask.ts';
import type { InstanceRow } from './rows.ts';
import type { ConversationWorld } from './work.ts';

/** The hold was seen to the commit: a release waits for who saw it, or is waited for and then seen. */
export async function park(
  world: ConversationWorld,
  work: Work,
  job: Job<'conversation'>,
  row: InstanceRow,
): Promise<void> {
  await job.complete(work.tx);
  work.told.push(() => {
    world.log.info('turn parked', { instance: row.id, state: row.state, event: job.data.wake });
  });
}

/** For the transaction that ends a hold, once its row is locked or gone. A turn asked for twice is taken once. */
export async function askParkedTurns(world: ConversationWorld, work: Work): Promise<void> {
  const parked = await work.tx
    .selectFrom('instances')
    .select(['id', 'epoch', 'state'])
    .where('account_id', '=', world.lease.account)
    .where('state', 'in', TURN_STATES)
    .orderBy('queue_seq')
    .execute();
  await askForTurns(
    world,
    work,
    parked.map(({ id, epoch, state }) => ({ id, epoch, purpose: TURN_IN[state] ?? 'continue' })),
  );
}

export const onRelease =
  (world: ConversationWorld): OnRelease =>
  (tx) =>
    within(world, tx, (work) => askParkedTurns(world, work));
