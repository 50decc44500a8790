// Formats numbers and phone numbers for the reader's region. Pure.
import { formatLocale, isolate, t } from '../i18n.ts';

/** Creates a formatter on its first use and keeps it: creating one is slow. */
function formatterOf<Formatter>(create: (locale: string) => Formatter): () => Formatter {
  let kept: { readonly locale: string; readonly formatter: Formatter } | undefined;
  return () => {
    const locale = formatLocale();
    if (kept === undefined || kept.locale !== locale) kept = { locale, formatter: create(locale) };
    return kept.formatter;
  };
}

const numbers = formatterOf((locale) => new Intl.NumberFormat(locale));

/** `12,480` */
export const groupDigits = (n: number): string => numbers().format(n);

const MOST_COUNTED = 99;

/** For a small badge: `7`, `99+`. */
export const formatBadgeCount = (n: number): string =>
  n > MOST_COUNTED ? t('common.count.over', { max: MOST_COUNTED }) : groupDigits(n);

/** Digits with a plus, in groups of three from the right for readability. */
export function formatPhoneNumber(digits: string): string {
  const tail = digits.slice(-10);
  const country = digits.slice(0, -10);
  const groups = [tail.slice(0, -7), tail.slice(-7, -4), tail.slice(-4)].filter(
    (part) => part !== '',
  );
  return isolate(`+${[country, ...groups].filter((part) => part !== '').join(' ')}`);
}

/** A contact's name; a number is formatted, also the one behind a name that is not verified: `Kit (+44 …)`. */
export const formatContact = (who: string): string =>
  /^\+?\d{7,15}$/.test(who)
    ? formatPhoneNumber(who.replace('+', ''))
    : who.replace(/(?<= \()\+(\d{7,15})(?=\)$)/, (_, digits) => formatPhoneNumber(digits));

// Formats times. Pure: the caller passes the current time.

type Moment = string | number;
const DAY_MS = 86_400_000;

const dates = (options: Intl.DateTimeFormatOptions) => {
  const formatter = formatterOf((locale) => new Intl.DateTimeFormat(locale, options));
  return (date: Date): string => formatter().format(date);
};

const clock = dates({ timeStyle: 'short' });
const hour = dates({ hour: 'numeric' });
const weekday = dates({ weekday: 'long' });
const shortWeekday = dates({ weekday: 'short' });
const shortDate = dates({ day: 'numeric', month: 'short' });
const date = dates({ day: 'numeric', month: 'long' });
const dateInYear = dates({ day: 'numeric', month: 'long', year: 'numeric' });
const weekdayAndDate = dates({ weekday: 'long', day: 'numeric', month: 'long' });
const weekdayAndDateInYear = dates({
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});

const isSameDay = (a: Date, b: Date): boolean => a.toDateString() === b.toDateString();
const isSameYear = (a: Date, b: Date): boolean => a.getFullYear() === b.getFullYear();

/** `Mon`, `16 Nov`: for narrow places. */
export const formatShortWeekday = (at: Date): string => shortWeekday(at);
export const formatShortDate = (at: Date): string => shortDate(at);

export const formatTimeOfDay = (at: Moment): string => clock(new Date(at));

/** `14`, or `2 PM` where clocks have 12 hours. */
export const formatHour = (at: Moment): string => hour(new Date(at));

/** Date and time, for the head of a page. */
export const formatFullTime = (at: Moment): string =>
  t('common.time.dateAndTime', { date: weekdayAndDate(new Date(at)), time: formatTimeOfDay(at) });

type SpanUnit = 'seconds' | 'minutes' | 'hours' | 'days';

/** The largest whole unit of a time span. */
function largestUnit(ms: number): { readonly unit: SpanUnit; readonly count: number } {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return { unit: 'seconds', count: seconds };
  if (seconds < 3_600) return { unit: 'minutes', count: Math.floor(seconds / 60) };
  if (seconds < 86_400) return { unit: 'hours', count: Math.floor(seconds / 3_600) };
  return { unit: 'days', count: Math.floor(seconds / 86_400) };
}

// `Intl` has no form as short as these that keeps the space: `4 sec`, `4s`.

/** `4 s`, `12 min`, `3 h`, `2 d`: only the largest unit. */
export function formatSpan(ms: number): string {
  const { unit, count } = largestUnit(ms);
  return t(`common.time.${unit}`, { count });
}

/** `just now`, `12 min ago`. */
export function formatAgo(at: Moment, now: number): string {
  const ms = now - new Date(at).getTime();
  if (ms < 1_500) return t('common.time.now');
  const { unit, count } = largestUnit(ms);
  return t(`common.time.${unit}Ago`, { count });
}

interface MomentParts {
  /** Null today. */
  readonly day: string | null;
  readonly time: string;
}

/** The day and the time of a moment, for two columns. */
export function formatMomentParts(at: Moment, now: number): MomentParts {
  const moment = new Date(at);
  const today = new Date(now);
  const time = clock(moment);
  if (isSameDay(moment, today)) return { day: null, time };
  if (isNear(moment, now)) return { day: weekday(moment), time };
  return { day: (isSameYear(moment, today) ? date : dateInYear)(moment), time };
}

/** `14:20` today, `Saturday 09:00` within a week, else the date. */
export function formatMoment(at: Moment, now: number): string {
  const { day, time } = formatMomentParts(at, now);
  if (day === null) return time;
  return isNear(new Date(at), now) ? t('common.time.dayAndTime', { day, time }) : day;
}

/** Near enough for its weekday to be unambiguous. */
const isNear = (moment: Date, now: number): boolean =>
  Math.abs(moment.getTime() - now) < 6 * DAY_MS;

/** `Today`, `Yesterday`, `Tuesday 10 November`, with the year if it is another. */
export function formatDay(at: Moment, now: number): string {
  const moment = new Date(at);
  const today = new Date(now);
  if (isSameDay(moment, today)) return t('common.time.today');
  if (isSameDay(moment, new Date(now - DAY_MS))) return t('common.time.yesterday');
  return (isSameYear(moment, today) ? weekdayAndDate : weekdayAndDateInYear)(moment);
}

// The label of a contact. Pure.

interface NamedContact {
  readonly name: string | null;
  readonly phone_number: string | null;
}

export const contactLabel = ({ name, phone_number: digits }: NamedContact): string =>
  name ?? (digits === null ? t('common.unknownPerson') : formatPhoneNumber(digits));

/** A phrase at the beginning of a line. */
export const capitalize = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
