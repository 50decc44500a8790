// One answer to the owner in an observed group. The model runs between two transactions; the second submits
// what it said to the gate and settles the request, or nothing of it has happened. At most one answer comes
// of a request, whatever restarts in between.

import { begin } from './begin.ts';
import { compose } from './compose.ts';
import { finish } from './finish.ts';
import type { GroupAnswerJob, GroupAnswerWorld } from './work.ts';

export function onGroupAnswer(world: GroupAnswerWorld) {
  return async (job: GroupAnswerJob, stop: AbortSignal): Promise<void> => {
    const turn = await begin(world, job);
    if (turn === null) return;
    const composed = await compose(world, turn, stop);
    await finish(world, job, turn, composed);
  };
}
