// Reads “Remind me tomorrow at 9 to call the plumber.”: what, at which time and on which day.

interface Reminder {
  readonly text: string;
  /** `09:00` */
  readonly time: string;
  /** `2026-11-17`; without it, the next time that the clock shows the time. */
  readonly date?: string;
  /** For people: `tomorrow at 09:00`. */
  readonly when: string;
}

const ASKED = /^(?:please )?remind me (.+?)[.!]*$/i;
const TIME = /\bat (\d{1,2})(?::(\d\d))? ?(am|pm)?\b/i;
const DAY = /\b(?:on )?(today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/i;
const DEFAULT_TIME = '09:00';

/** `now` contains the date as the assistant's prompt writes it. Undefined if it does not say of what. */
export function readReminder(question: string, now: string): Reminder | undefined {
  const [, rest = ''] = ASKED.exec(question.trim()) ?? [];
  const [, hours, minutes = '00', half] = TIME.exec(rest) ?? [];
  const [, day] = DAY.exec(rest) ?? [];
  const what = rest
    .replace(TIME, '')
    .replace(DAY, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(?:to|that|about|of) /i, '');
  if (what === '') return undefined;
  const time = hours === undefined ? DEFAULT_TIME : clock(Number(hours), minutes, half);
  const date = day === undefined ? undefined : dateOf(day.toLowerCase(), now);
  return {
    text: what.charAt(0).toUpperCase() + what.slice(1),
    time,
    ...(date === undefined ? {} : { date }),
    when: `${whenWords(day)}at ${time}`,
  };
}

function whenWords(day: string | undefined): string {
  if (day === undefined) return '';
  return /^to/i.test(day) ? `${day.toLowerCase()} ` : `on ${day} `;
}

function clock(hours: number, minutes: string, half: string | undefined): string {
  const isAfternoon = half?.toLowerCase() === 'pm';
  const hour = half === undefined ? hours : (hours % 12) + (isAfternoon ? 12 : 0);
  return `${String(hour % 24).padStart(2, '0')}:${minutes}`;
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** From `It is Monday 16 November 2026 at 10:00`. */
function dateOf(day: string, now: string): string | undefined {
  const [, date = '', month = '', year = ''] =
    /\bIt is \w+,? (\d{1,2}) (\w+) (\d{4})\b/.exec(now) ?? [];
  if (!MONTHS.includes(month)) return undefined;
  const today = new Date(Date.UTC(Number(year), MONTHS.indexOf(month), Number(date)));
  const ahead = WEEKDAYS.includes(day)
    ? (WEEKDAYS.indexOf(day) - today.getUTCDay() + 7) % 7 || 7
    : Number(day === 'tomorrow');
  return new Date(today.getTime() + ahead * 86_400_000).toISOString().slice(0, 10);
}
