// How often the assistant may speak in one group: a pause between two answers, and so many a day by the
// clocks of the group. Pure; asked before an answer is thought of, and again before it is submitted.
import type { Zone } from '../schedule/zone.ts';
import type { ObserverSettings } from '../settings.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

export type CadenceSettings = Pick<ObserverSettings, 'answers_per_day' | 'minutes_between_answers'>;

export type Cadence =
  | { readonly may: true }
  | {
      readonly may: false;
      readonly limit: 'pause' | 'day' | 'off';
      /** The first moment at which it may, if nothing is said until then; null when it never will. */
      readonly again: Date | null;
      /** For the owner. */
      readonly why: string;
    };

export interface Spoken {
  /** When this group was answered before, in any order; older than two days is of no matter. */
  readonly answered: readonly Date[];
  readonly settings: CadenceSettings;
  readonly zone: Zone;
  readonly now: Date;
}

export function cadenceOf({ answered, settings, zone, now }: Spoken): Cadence {
  const most = settings.answers_per_day;
  if (most === 0) return { may: false, limit: 'off', again: null, why: OFF };
  const times = answered.map((at) => at.getTime());
  const last = Math.max(Number.NEGATIVE_INFINITY, ...times);
  const rested = last + settings.minutes_between_answers * MINUTE;
  const day = dayOf(zone, now.getTime());
  const today = times.filter((at) => at >= day.start && at < day.end).length;
  if (today >= most) {
    const again = new Date(Math.max(day.end, rested));
    return { may: false, limit: 'day', again, why: DAY_SPENT(most) };
  }
  if (now.getTime() < rested) {
    const why = TOO_SOON(settings.minutes_between_answers);
    return { may: false, limit: 'pause', again: new Date(rested), why };
  }
  return { may: true };
}

/** From midnight to midnight; where clocks are set back over midnight, the day has begun for good. */
function dayOf(zone: Zone, now: number): { start: number; end: number } {
  let midnight = Math.floor(zone.localAt(now) / DAY) * DAY;
  let end = zone.instantOf(midnight + DAY);
  while (end <= now) {
    midnight += DAY;
    end = zone.instantOf(midnight + DAY);
  }
  return { start: zone.instantOf(midnight), end };
}

const OFF = 'Answers in groups are switched off: observer.answers_per_day is 0.';
const DAY_SPENT = (most: number): string =>
  most === 1
    ? 'This group was answered once today, and that is its limit for a day.'
    : `This group was answered ${most} times today, and that is its limit for a day.`;
const TOO_SOON = (minutes: number): string =>
  `This group was answered less than ${minutes === 1 ? 'a minute' : `${minutes} minutes`} ago.`;
