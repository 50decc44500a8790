// Formats numbers and phone numbers. Pure.

/** `12,480`, in English. Written by hand: `Intl` takes longer to initialize than a page to render. */
export const groupDigits = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

const COUNT_WORDS = [
  'No',
  'One',
  'Two',
  'Three',
  'Four',
  'Five',
  'Six',
  'Seven',
  'Eight',
  'Nine',
  'Ten',
];

export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${groupDigits(n)} ${n === 1 ? one : many}`;

/** For the beginning of a sentence: `Four things`. */
export const countInWords = (n: number, one: string, many = `${one}s`): string =>
  `${COUNT_WORDS[n] ?? groupDigits(n)} ${n === 1 ? one : many}`;

/** Digits with a plus, in groups of three from the right for readability. */
export function formatPhoneNumber(digits: string): string {
  const tail = digits.slice(-10);
  const country = digits.slice(0, -10);
  const groups = [tail.slice(0, -7), tail.slice(-7, -4), tail.slice(-4)].filter(
    (part) => part !== '',
  );
  return `+${[country, ...groups].filter((part) => part !== '').join(' ')}`;
}

/** A contact's name; a number is formatted. */
export const formatContact = (who: string): string =>
  /^\+?\d{7,15}$/.test(who) ? formatPhoneNumber(who.replace('+', '')) : who;

// Formats times. Pure: the caller passes the current time.

// English and 24-hour time, whatever the browser prefers. Written by hand: `Intl` formats take longer to initialize
// than the first page takes to render.
const WEEKDAYS = [
  ...['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
] as const;
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
] as const;

const two = (n: number): string => String(n).padStart(2, '0');
const clock = (date: Date): string => `${two(date.getHours())}:${two(date.getMinutes())}`;
const weekday = (date: Date): string => WEEKDAYS[date.getDay()] ?? '';
const month = (date: Date): string => MONTHS[date.getMonth()] ?? '';
const dated = (date: Date): string => `${date.getDate()} ${month(date)}`;
const datedInYear = (date: Date): string => `${dated(date)} ${date.getFullYear()}`;

/** `Mon`, `16 Nov`: for narrow places. */
export const formatShortWeekday = (date: Date): string => weekday(date).slice(0, 3);
export const formatShortDate = (date: Date): string =>
  `${date.getDate()} ${month(date).slice(0, 3)}`;

type Moment = string | number;
const DAY_MS = 86_400_000;

export const formatTimeOfDay = (at: Moment): string => clock(new Date(at));

/** Date and time, for the head of a page. */
export const formatFullTime = (at: Moment): string =>
  `${weekday(new Date(at))} ${dated(new Date(at))}, ${formatTimeOfDay(at)}`;

/** `4 s`, `12 min`, `3 h`, `2 d`: only the largest unit. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

export const formatAgo = (at: Moment, now: number): string => {
  const ms = now - new Date(at).getTime();
  return ms < 1_500 ? 'just now' : `${formatSpan(ms)} ago`;
};

/** `14:20` today, `Saturday 09:00` within a week, else the date. */
export function formatMoment(at: Moment, now: number): string {
  const date = new Date(at);
  if (date.toDateString() === new Date(now).toDateString()) return clock(date);
  const near = Math.abs(date.getTime() - now) < 6 * DAY_MS;
  if (near) return `${weekday(date)} ${clock(date)}`;
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? dated : datedInYear)(date);
}

/** `Today`, `Yesterday`, `Tuesday 10 November`, with the year if it is another. */
export function formatDay(at: Moment, now: number): string {
  const date = new Date(at);
  const day = date.toDateString();
  if (day === new Date(now).toDateString()) return 'Today';
  if (day === new Date(now - DAY_MS).toDateString()) return 'Yesterday';
  const year = date.getFullYear();
  const words = `${weekday(date)} ${dated(date)}`;
  return year === new Date(now).getFullYear() ? words : `${words} ${year}`;
}

// The label of an unknown person. Pure.

interface NamedContact {
  readonly name: string | null;
  readonly phone_number: string | null;
}

export const UNKNOWN_PERSON = 'Unknown person';

export const contactLabel = ({ name, phone_number: digits }: NamedContact): string =>
  name ?? (digits === null ? UNKNOWN_PERSON : formatPhoneNumber(digits));
