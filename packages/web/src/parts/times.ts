// Times as people say them. Pure: whoever asks brings the time it is.

// The console speaks English and the clock of 24 hours, whatever the browser prefers. Written by hand: the browser's own
// formats take longer to begin than the first page takes to be drawn.
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

/** `Mon`, `16 Nov`: where there is little room. */
export const shortWeekday = (date: Date): string => weekday(date).slice(0, 3);
export const shortDate = (date: Date): string => `${date.getDate()} ${month(date).slice(0, 3)}`;

type Moment = string | number;
const DAY_MS = 86_400_000;

export const timeOfDay = (at: Moment): string => clock(new Date(at));

/** The date and the time, for the head of a page. */
export const fullTime = (at: Moment): string =>
  `${weekday(new Date(at))} ${dated(new Date(at))}, ${timeOfDay(at)}`;

/** `4 s`, `12 min`, `3 h`, `2 d`: the largest unit alone. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

export const ago = (at: Moment, now: number): string => {
  const ms = now - new Date(at).getTime();
  return ms < 1_500 ? 'just now' : `${span(ms)} ago`;
};

/** `14:20` today, `Saturday 09:00` within a week, else the date. */
export function moment(at: Moment, now: number): string {
  const date = new Date(at);
  if (date.toDateString() === new Date(now).toDateString()) return clock(date);
  const near = Math.abs(date.getTime() - now) < 6 * DAY_MS;
  if (near) return `${weekday(date)} ${clock(date)}`;
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? dated : datedInYear)(date);
}

/** `Today`, `Yesterday`, `Tuesday 10 November`, with the year where it is another. */
export function dayOf(at: Moment, now: number): string {
  const date = new Date(at);
  const day = date.toDateString();
  if (day === new Date(now).toDateString()) return 'Today';
  if (day === new Date(now - DAY_MS).toDateString()) return 'Yesterday';
  const year = date.getFullYear();
  const words = `${weekday(date)} ${dated(date)}`;
  return year === new Date(now).getFullYear() ? words : `${words} ${year}`;
}
