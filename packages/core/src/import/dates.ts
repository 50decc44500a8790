// Which number of a date is the day. One date says little, all dates of a chat usually say it: a number over
// twelve is no month, a chat goes forward in time, and not into the future. What stays open is asked. Pure.
import type { Head } from './head.ts';

export const DATE_ORDERS = ['dmy', 'mdy', 'ymd'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

const DAY = 86_400_000;

/** Midnight of the date in UTC, or null where there is no such day. */
export function dayOf({ date: [a, b, c] }: Pick<Head, 'date'>, order: DateOrder): number | null {
  const [year, month, day] =
    order === 'dmy' ? [c, b, a] : order === 'mdy' ? [c, a, b] : ([a, b, c] as const);
  const full = year < 100 ? 2000 + year : year > 2400 ? year - 543 : year;
  const at = Date.UTC(full, month - 1, day);
  const made = new Date(at);
  return made.getUTCMonth() === month - 1 && made.getUTCDate() === day && full >= 2009 ? at : null;
}

/** What was seen of one order while all dates went by. */
interface Trial {
  readonly order: DateOrder;
  possible: boolean;
  last: number;
  /** Steps back in time. */
  back: number;
}

export class DateOrderFinder {
  readonly #latest: number;
  readonly #trials: readonly Trial[];
  #onlyDays = false;
  #yearFirst = false;

  /** `now` as a local time. */
  constructor(now: number) {
    this.#latest = now + DAY;
    this.#trials = DATE_ORDERS.map((order) => ({ order, possible: true, last: 0, back: 0 }));
  }

  add(head: Head): void {
    if (head.yearFirst === true) this.#yearFirst = true;
    // Nobody writes the month first but with strokes.
    if (head.separator !== '/') this.#onlyDays = true;
    for (const trial of this.#trials) {
      const day = dayOf(head, trial.order);
      if (day === null || day > this.#latest) trial.possible = false;
      else {
        if (day < trial.last) trial.back += 1;
        trial.last = day;
      }
    }
  }

  /** Null when it has to be asked. */
  found(): DateOrder | null {
    const possible = (order: DateOrder) =>
      this.#trials.find((trial) => trial.order === order && trial.possible) ?? null;
    if (this.#yearFirst) return possible('ymd') && 'ymd';
    const [days, months] = [possible('dmy'), this.#onlyDays ? null : possible('mdy')];
    if (days === null && months === null) return possible('ymd') && 'ymd';
    if (days === null || months === null) return days === null ? 'mdy' : 'dmy';
    if (days.back === months.back) return null;
    return days.back < months.back ? 'dmy' : 'mdy';
  }
}
