// The hours and days of digests in the group's zone, and how they are written. Every moment belongs to exactly one day
// and one hour of it, whatever the clocks do.
import { weekdayOf, type Zone } from '../../schedule/zone.ts';

export type DigestKind = 'hourly' | 'daily';

/** From start to end; the end is excluded. */
export interface DigestPeriod {
  readonly start: Date;
  readonly end: Date;
}

export interface DayBoundary {
  readonly zone: Zone;
  /** When a day begins and the digest of the one before is written: `04:00`. */
  readonly dailyAt: string;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A day named by the date on which it begins. */
export interface NamedDay extends DigestPeriod {
  /** `YYYY-MM-DD`. */
  readonly name: string;
}

export function dayContaining(at: Date, cut: DayBoundary): NamedDay {
  const instant = at.getTime();
  let date = Math.floor((cut.zone.localAt(instant) - beginsAt(cut)) / DAY) * DAY;
  // Near a clock change the guess can be a day off; a date that the zone skipped is not a day.
  while (beginningOf(date, cut) > instant) date -= DAY;
  while (beginningOf(date + DAY, cut) <= instant) date += DAY;
  return dayFrom(date, cut);
}

/** Null for an invalid date, and for one that the zone skipped. */
export function dayByName(name: string, cut: DayBoundary): NamedDay | null {
  const date = /^\d{4}-\d\d-\d\d$/.test(name) ? Date.parse(`${name}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(date) || nameOf(date) !== name) return null;
  const day = dayFrom(date, cut);
  return day.start < day.end ? day : null;
}

export const dayBefore = ({ start }: DigestPeriod, cut: DayBoundary): NamedDay =>
  dayContaining(new Date(start.getTime() - 1), cut);

/** Full clock hours, counted from the start of the day; the first and last can be shorter. */
export function hourContaining(at: Date, cut: DayBoundary): DigestPeriod {
  const day = dayContaining(at, cut);
  const begins = day.start.getTime();
  const full = begins - mod(cut.zone.localAt(begins), HOUR);
  const start = full + Math.floor((at.getTime() - full) / HOUR) * HOUR;
  return {
    start: new Date(Math.max(start, begins)),
    end: new Date(Math.min(start + HOUR, day.end.getTime())),
  };
}

function dayFrom(date: number, cut: DayBoundary): NamedDay {
  return {
    name: nameOf(date),
    start: new Date(beginningOf(date, cut)),
    end: new Date(beginningOf(date + DAY, cut)),
  };
}

const beginningOf = (date: number, cut: DayBoundary): number =>
  cut.zone.instantOf(date + beginsAt(cut));

const nameOf = (date: number): string => new Date(date).toISOString().slice(0, 10);

function beginsAt({ dailyAt }: DayBoundary): number {
  const [hours = 0, minutes = 0] = dailyAt.split(':').map(Number);
  return hours * HOUR + minutes * 60_000;
}

const mod = (value: number, by: number): number => ((value % by) + by) % by;

// Formats moments and periods in digests and contexts: in the group's zone and in one fixed form, for people, models
// and tests.

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Fri 6 Mar` */
export function formatGroupDate(at: Date, zone: Zone): string {
  const local = new Date(zone.localAt(at.getTime()));
  const weekday = weekdayOf(local.getTime());
  const name = `${weekday.charAt(0).toUpperCase()}${weekday.slice(1)}`;
  return `${name} ${local.getUTCDate()} ${MONTHS[local.getUTCMonth()]}`;
}

/** `10:00-11:00` */
export const formatHours = ({ start, end }: DigestPeriod, zone: Zone): string =>
  `${formatZoneClock(start, zone)}-${formatZoneClock(end, zone)}`;

/** `14:05` */
export const formatZoneClock = (at: Date, zone: Zone): string =>
  new Date(zone.localAt(at.getTime())).toISOString().slice(11, 16);
