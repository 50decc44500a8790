// Quiet hours: a stretch of each local day in which nobody is answered. Told by the clock on the wall of
// their zone, so that a change to summer time moves neither end.
import type { QuietHours } from '../contacts/options.ts';

const MINUTE = 60_000;
const DAY = 24 * 60;

/** When the quiet that reigns at this moment ends; null when none does. From and to alike are no quiet at all. */
export function quietUntil(hours: QuietHours, ownZone: string, at: Date): Date | null {
  const { from, to, zone = ownZone } = hours;
  const ends = minutesOf(to);
  const isQuiet = (time: number): boolean =>
    since(minutesOf(from), wallClock(time, zone)) < since(minutesOf(from), ends);
  const began = Math.floor(at.getTime() / MINUTE) * MINUTE;
  if (!isQuiet(began)) return null;
  let end = began;
  // A clock that is put back meanwhile leaves more to wait for.
  while (isQuiet(end)) end += since(wallClock(end, zone), ends) * MINUTE;
  return new Date(firstAfter(began, end, isQuiet));
}

/** One that is put forward ends it sooner: the first minute of `(quiet, loud]` that is not quiet. */
function firstAfter(quiet: number, loud: number, isQuiet: (time: number) => boolean): number {
  let [low, high] = [quiet / MINUTE, loud / MINUTE];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isQuiet(middle * MINUTE)) low = middle;
    else high = middle;
  }
  return high * MINUTE;
}

/** Minutes from one time of day to the next time it is another. */
const since = (from: number, to: number): number => (to - from + DAY) % DAY;

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function wallClock(time: number, zone: string): number {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  clocks.set(zone, clock);
  return minutesOf(clock.format(time));
}
