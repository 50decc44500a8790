// Messages for later, as routes and commands call them. Implemented by `schedule/`; every refusal is a
// RelayError from the one table.
import type {
  CreateSchedule,
  Schedule,
  ScheduleFilter,
  SchedulePreview,
} from '../api/schedules.ts';
import type { ScheduleId } from '../ids.ts';

export interface ScheduleVerbs {
  /** The next one first. */
  list(which: ScheduleFilter): Promise<readonly Schedule[]>;
  /** What `create` would understand. Writes nothing. */
  preview(wish: CreateSchedule): Promise<SchedulePreview>;
  /** Through the gate, as the owner. */
  create(wish: CreateSchedule): Promise<Schedule>;
  /** Nothing more comes of it, not even what is on its way already. */
  cancel(id: ScheduleId): Promise<Schedule>;
}
