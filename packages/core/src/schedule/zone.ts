// Time zone arithmetic: the local time at an instant, and the instant of a local time. A local time is a number: the
// milliseconds its date and time would have in UTC.

import { WEEKDAYS, type Weekday, zoneFormat } from '@relay/contract/schedule/names';

const DAY = 86_400_000;
/** The maximum offset of any zone from UTC. */
const AHEAD = 14 * 3_600_000;
const BEHIND = 12 * 3_600_000;
/** The number of days cached per zone; about eleven years. */
const KEPT = 4_000;

/** The offset from UTC from this instant on. */
interface Span {
  readonly from: number;
  readonly offset: number;
}

const zones = new Map<string, Zone | null>();

/** Null for an unknown zone name. */
export function findZone(name: string): Zone | null {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = openZone(name);
  // Names come from people, so unknown ones are not cached.
  if (zone !== null) zones.set(name, zone);
  return zone;
}

/** The date there, as `YYYY-MM-DD`; in UTC for an unknown zone name. */
export function dayIn(name: string, at: Date): string {
  const local = findZone(name)?.localAt(at.getTime()) ?? at.getTime();
  return new Date(local).toISOString().slice(0, 10);
}

function openZone(name: string): Zone | null {
  const format = zoneFormat(name);
  if (format === null) return null;
  const known = format.resolvedOptions().timeZone;
  // Intl returns an older name for Asia/Kolkata; only the spelling is taken from it.
  return new Zone(known.toLowerCase() === name.toLowerCase() ? known : name, format);
}

export class Zone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #days = new Map<number, readonly Span[]>();

  constructor(name: string, format: Intl.DateTimeFormat) {
    this.name = name;
    this.#format = format;
  }

  /** The local time at an instant. */
  localAt(instant: number): number {
    const spans = this.#spansOf(Math.floor(instant / DAY));
    const span = spans.findLast(({ from }) => from <= instant) ?? spans[0];
    return instant + (span?.offset ?? 0);
  }

  /** The instant of a local time: the first one if it occurs twice; the first moment after the gap if it is skipped. */
  instantOf(local: number): number {
    const spans = this.#spansBetween(local - AHEAD, local + BEHIND);
    const shown = spans.find(({ offset }) => this.localAt(local - offset) === local);
    if (shown !== undefined) return local - shown.offset;
    return spans.find(({ from, offset }) => from + offset > local)?.from ?? local;
  }

  /** False for a day that the zone skipped, as when the date line moved. */
  hasDay(local: number): boolean {
    const midnight = Math.floor(local / DAY) * DAY;
    return this.instantOf(midnight) !== this.instantOf(midnight + DAY);
  }

  #spansBetween(from: number, to: number): Span[] {
    const spans: Span[] = [];
    for (let day = Math.floor(from / DAY); day * DAY <= to; day++)
      spans.push(...this.#spansOf(day));
    return spans;
  }

  /** The spans of one UTC day; no zone changes its clocks twice in one. */
  #spansOf(day: number): readonly Span[] {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const from = day * DAY;
    const offset = this.#offsetAt(from);
    const after = this.#offsetAt(from + DAY);
    const spans: Span[] = [{ from, offset }];
    if (after !== offset) spans.push({ from: this.#changeWithin(from, offset), offset: after });
    if (this.#days.size >= KEPT) this.#days.clear();
    this.#days.set(day, spans);
    return spans;
  }

  /** The first second of the day with another offset. */
  #changeWithin(from: number, offset: number): number {
    let [before, after] = [0, DAY / 1_000];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.#offsetAt(from + middle * 1_000) === offset) before = middle;
      else after = middle;
    }
    return from + after * 1_000;
  }

  #offsetAt(instant: number): number {
    const [, sign, hours = 0, minutes = 0, seconds = 0] =
      /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(this.#format.format(instant)) ?? [];
    const size = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
    return (sign === '-' ? -size : size) * 1_000;
  }
}

// Local times as the milliseconds that their date and time would have in UTC: their weekday, and their instant.

export function weekdayOf(local: number): Weekday {
  return WEEKDAYS[(new Date(local).getUTCDay() + 6) % 7] ?? 'mon';
}

/** 2026-12-24T18:00 in the zone; with a final Z, in UTC. */
export function instantOfLocal(at: string, zone: Zone): number {
  const written = Date.parse(at.endsWith('Z') ? at : `${at}Z`);
  return at.endsWith('Z') ? written : zone.instantOf(written);
}
