// How moments and periods are written in digests and contexts: by the clock of the group's zone, always the
// same way, so that people, models and tests can read them.
import { weekdayOf } from '../../schedule/local.ts';
import type { Zone } from '../../schedule/zone.ts';
import type { Period } from './periods.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Fri 6 Mar` */
export function dateOf(at: Date, zone: Zone): string {
  const local = new Date(zone.localAt(at.getTime()));
  const weekday = weekdayOf(local.getTime());
  const name = `${weekday.charAt(0).toUpperCase()}${weekday.slice(1)}`;
  return `${name} ${local.getUTCDate()} ${MONTHS[local.getUTCMonth()]}`;
}

/** `10:00-11:00` */
export const hoursOf = ({ start, end }: Period, zone: Zone): string =>
  `${clockOf(start, zone)}-${clockOf(end, zone)}`;

/** `14:05` */
export const clockOf = (at: Date, zone: Zone): string =>
  new Date(zone.localAt(at.getTime())).toISOString().slice(11, 16);
