// Messages for later, as routes and commands call them. Implemented by `schedule/`; every refusal is a
// RelayError from the one table.
import type {
  CreateSchedule,
  Schedule,
  ScheduleFilter,
  SchedulePreview,
  ScheduleQuery,
} from '../api/schedules.ts';
import type { ScheduleId } from '../ids.ts';

export type SchedulePage = Pick<ScheduleQuery, 'limit' | 'offset'>;

export interface ScheduleVerbs {
  /** The next one first; of those that are over, the latest made. */
  list(which: ScheduleFilter, page?: SchedulePage): Promise<readonly Schedule[]>;
  /** What `create` would understand. Writes nothing. */
  preview(wish: CreateSchedule): Promise<SchedulePreview>;
  /** Through the gate, as the owner. */
  create(wish: CreateSchedule): Promise<Schedule>;
  /** Nothing more comes of it, not even what is on its way already. */
  cancel(id: ScheduleId): Promise<Schedule>;
}
