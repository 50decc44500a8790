// Local times: the milliseconds that their date and time would have in UTC. Which day of the week one is,
// and when one happens that somebody wrote down.
import type { Zone } from './zone.ts';

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export function weekdayOf(local: number): Weekday {
  return WEEKDAYS[(new Date(local).getUTCDay() + 6) % 7] ?? 'mon';
}

/** 2026-12-24T18:00 in the zone; with a Z at its end, whatever the zone. */
export function momentOf(at: string, zone: Zone): number {
  const written = Date.parse(at.endsWith('Z') ? at : `${at}Z`);
  return at.endsWith('Z') ? written : zone.instantOf(written);
}
