// Which day of a group somebody means: today and yesterday are the group's, which begin when its digest is
// made; a date is the day that begins on it.
import { parseDays } from '../../search/times.ts';
import { type DayBoundary, dayBefore, dayByName, dayContaining, type NamedDay } from './periods.ts';

/** Whether a word names a day, so that what stands before it names a group. */
export const isDayName = (word: string): boolean =>
  /^(?:today|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{4}-\d\d-\d\d)$/i.test(word);

/** Null for what is no single day. */
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
