// Schedules, put together: what main hands to the routes, the gate, the hold, the timers and the workers.
import type { ScheduleVerbs } from '@relay/core/ports/schedules';
import type { CarryOutSchedules, OnRelease } from '../gate/carry-out.ts';
import type { Handler } from '../jobs/worker.ts';
import { carryOutCancellation } from './cancel.ts';
import { carryOutSchedule } from './create.ts';
import { onDue } from './due.ts';
import { askHeldSchedules, settleSchedules } from './settle.ts';
import { scheduleVerbs } from './verbs.ts';
import type { ScheduleWorld } from './world.ts';

export interface Schedules {
  readonly verbs: ScheduleVerbs;
  readonly carryOut: CarryOutSchedules;
  readonly onRelease: OnRelease;
  readonly onDue: Handler<'schedule'>;
  /** Before the timers begin, and whenever the clock was put back. */
  settle(): Promise<void>;
}

export const openSchedules = (world: ScheduleWorld): Schedules => ({
  verbs: scheduleVerbs(world),
  carryOut: {
    scheduleMessage: carryOutSchedule(world),
    cancelSchedule: carryOutCancellation(world),
  },
  onRelease: askHeldSchedules(world),
  onDue: onDue(world),
  settle: () => settleSchedules(world),
});
