// What happened, counted. Implemented by `store`.
import type { ActivityHours } from '../activity.ts';
import type { Activity } from '../api/activity.ts';

export interface ActivityReader {
  /** The last hours up to now. */
  read(hours: ActivityHours): Promise<Activity>;
}
