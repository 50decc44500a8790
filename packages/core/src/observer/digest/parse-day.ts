// Parses which day of a group is meant. Today and yesterday are the group's days, which begin when its digest is
// written; a date is the day that begins on it.
import { parseDays } from '../../search/times.ts';
import { type DayBoundary, dayBefore, dayByName, dayContaining, type NamedDay } from './periods.ts';

/** Whether a word names a day; the words before it then name a group. */
export const isDayName = (word: string): boolean =>
  /^(?:today|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{4}-\d\d-\d\d)$/i.test(word);

/** Null unless it is a single day. */
export function parseGroupDay(said: string, now: Date, cut: DayBoundary): NamedDay | null {
  const text = said.trim().toLowerCase();
  const today = dayContaining(now, cut);
  if (text === 'today') return today;
  if (text === 'yesterday') return dayBefore(today, cut);
  const named = dayByName(text, cut);
  if (named !== null) return named;
  const span = parseDays(text, now, cut.zone);
  if (span === null || span.to.getTime() - span.from.getTime() > 26 * 3_600_000) return null;
  const local = new Date(cut.zone.localAt(span.from.getTime()));
  return dayByName(local.toISOString().slice(0, 10), cut);
}
