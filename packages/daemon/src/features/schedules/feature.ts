// Creates the schedules feature for the routes, the gate, the hold, the timers and the workers.
import type { ScheduleService } from '@relay/contract/api/schedules';
import type { ApprovedScheduleActions, OnRelease } from '../../pipeline/gate/approvals.ts';
import type { JobHandler } from '../../platform/jobs/queue-worker.ts';
import { enqueueHeldSchedules, onScheduleDue, recomputeSchedules } from './due.ts';
import {
  cancelApprovedSchedule,
  createApprovedSchedule,
  createScheduleService,
  type ScheduleDeps,
} from './service.ts';

export interface SchedulesFeature {
  readonly service: ScheduleService;
  readonly carryOut: ApprovedScheduleActions;
  readonly onRelease: OnRelease;
  readonly onDue: JobHandler<'schedule'>;
  /** Called before the timers start, and whenever the clock was set back. */
  recompute(): Promise<void>;
}

export const openSchedules = (deps: ScheduleDeps): SchedulesFeature => ({
  service: createScheduleService(deps),
  carryOut: {
    scheduleMessage: createApprovedSchedule(deps),
    cancelSchedule: cancelApprovedSchedule(deps),
  },
  onRelease: enqueueHeldSchedules(deps),
  onDue: onScheduleDue(deps),
  recompute: () => recomputeSchedules(deps),
});
