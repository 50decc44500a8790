// The hold is over: what the owner asked meanwhile is answered now. A question asked for twice is answered
// once, because its line no longer waits.
import type { OnRelease } from '../../gate/carry-out.ts';
import { within } from '../../jobs/work.ts';
import { askFor } from './hear.ts';
import type { AssistantWorld } from './world.ts';

export const onRelease =
  (world: AssistantWorld): OnRelease =>
  (tx) =>
    within(world, tx, async (work) => {
      const lines = await tx
        .selectFrom('session_messages as m')
        .innerJoin('sessions as s', (on) =>
          on.onRef('s.account_id', '=', 'm.account_id').onRef('s.id', '=', 'm.session_id'),
        )
        .select(['m.session_id', 'm.id', 'm.command'])
        .where('m.account_id', '=', world.lease.account)
        .where('s.kind', '=', 'assistant')
        .where('m.waiting', '=', true)
        .orderBy('m.id')
        .execute();
      const bySession = Map.groupBy(lines, ({ session_id }) => session_id);
      for (const [session, waiting] of bySession) await askFor(world, work, session, waiting);
    });
