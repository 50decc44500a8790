// Parses times in a query relative to the current day: "yesterday", "last week", "since Friday", "in March". Whole days
// of the searcher's zone; weeks begin on Monday; times are in the past.
import type { Zone } from '../schedule/zone.ts';
import { foldText } from './words.ts';

// The words for times, folded, in the supported languages: English, Spanish, Portuguese, German, Arabic, Hindi in both
// scripts, Chinese.

const TIME_WORDS = {
  today: ['today', 'hoy', 'hoje', 'heute', 'اليوم', 'आज', 'aaj', '今天'],
  yesterday: ['yesterday', 'ayer', 'ontem', 'gestern', 'امس', 'البارحه', 'कल', 'kal', '昨天'],
  lastNight: ['last night', 'yesterday evening', 'anoche', 'ontem a noite', 'gestern abend'],
  dayBeforeYesterday: ['the day before yesterday', 'anteayer', 'anteontem', 'vorgestern', '前天'],
  thisWeek: [
    'this week',
    'esta semana',
    'diese woche',
    'dieser woche',
    'هذا الاسبوع',
    '这周',
    '本周',
  ],
  lastWeek: [
    'last week',
    'la semana pasada',
    'semana pasada',
    'semana passada',
    'letzte woche',
    'letzter woche',
    'الاسبوع الماضي',
    'पिछले हफ्ते',
    'pichle hafte',
    '上周',
  ],
  thisMonth: [
    'this month',
    'este mes',
    'diesen monat',
    'dieser monat',
    'هذا الشهر',
    '这个月',
    '本月',
  ],
  lastMonth: [
    'last month',
    'el mes pasado',
    'mes pasado',
    'mes passado',
    'letzten monat',
    'الشهر الماضي',
    '上个月',
  ],
  lastYear: ['last year', 'el ano pasado', 'ano passado', 'letztes jahr', 'السنه الماضيه', '去年'],
  weekend: [
    'this weekend',
    'last weekend',
    'este fin de semana',
    'este fim de semana',
    'dieses wochenende',
  ],
  last: ['last', 'this past', 'letzten', 'letzter', 'ultimo'],
  past: ['pasado', 'passado', 'passada', 'الماضي'],
  onDay: ['on', 'del', 'el', 'na', 'no', 'am'],
  inMonth: ['in', 'en', 'em', 'im', 'during', 'في'],
} as const;

const numbered = (lists: readonly (readonly string[])[]): Readonly<Record<string, number>> =>
  Object.fromEntries(lists.flatMap((names, n) => names.map((name) => [name, n])));

/** 0 is Monday. */
const WEEKDAY_NUMBERS = numbered([
  ['monday', 'mon', 'lunes', 'segunda', 'segunda feira', 'montag', 'الاثنين', 'सोमवार'],
  ['tuesday', 'tue', 'martes', 'terca', 'dienstag', 'الثلاثاء', 'मंगलवार'],
  ['wednesday', 'wed', 'miercoles', 'quarta', 'mittwoch', 'الاربعاء', 'बुधवार'],
  ['thursday', 'thu', 'jueves', 'quinta', 'donnerstag', 'الخميس', 'गुरुवार'],
  ['friday', 'fri', 'viernes', 'sexta', 'freitag', 'الجمعه', 'शुक्रवार'],
  ['saturday', 'sat', 'sabado', 'samstag', 'السبت', 'शनिवार'],
  ['sunday', 'sun', 'domingo', 'sonntag', 'الاحد', 'रविवार'],
]);

/** 0 is January. */
const MONTH_NUMBERS = numbered([
  ['january', 'jan', 'enero', 'janeiro', 'januar', 'يناير'],
  ['february', 'feb', 'febrero', 'fevereiro', 'februar', 'فبراير'],
  ['march', 'mar', 'marzo', 'marco', 'marz', 'مارس'],
  ['april', 'apr', 'abril', 'ابريل'],
  ['may', 'mayo', 'maio', 'mai', 'مايو'],
  ['june', 'jun', 'junio', 'junho', 'juni', 'يونيو'],
  ['july', 'jul', 'julio', 'julho', 'juli', 'يوليو'],
  ['august', 'aug', 'agosto', 'اغسطس'],
  ['september', 'sep', 'septiembre', 'setembro', 'سبتمبر'],
  ['october', 'oct', 'octubre', 'outubro', 'oktober', 'اكتوبر'],
  ['november', 'nov', 'noviembre', 'novembro', 'نوفمبر'],
  ['december', 'dec', 'diciembre', 'dezembro', 'dezember', 'ديسمبر'],
]);

export interface TimeSpan {
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
}

export interface SpokenTime extends TimeSpan {
  /** False if the words may as well be part of the content: "the flight in December" was not written in December. */
  readonly certain: boolean;
}

interface TimeFound {
  readonly time: SpokenTime | null;
  /** The query without the words that certainly name the time. */
  readonly rest: string;
}

const DAY = 86_400_000;

/** Days, as local times at midnight; `end` is the first day after. */
interface Days {
  readonly begin: number;
  readonly end: number;
  readonly certain: boolean;
}

export function findTime(text: string, now: Date, zone: Zone): TimeFound {
  const folded = foldText(text);
  const today = Math.floor(zone.localAt(now.getTime()) / DAY) * DAY;
  for (const { pattern, days } of PHRASES) {
    const match = pattern.exec(folded);
    const found = match === null ? null : days(today, match);
    if (match === null || found === null) continue;
    const { begin, end, certain } = found;
    const [from, to] = [new Date(zone.instantOf(begin)), new Date(zone.instantOf(end))];
    const rest = `${folded.slice(0, match.index)} ${folded.slice(match.index + match[0].length)}`;
    return { time: { from, to, certain }, rest: certain ? rest.trim() : text };
  }
  return { time: null, rest: text };
}

/** Days given on their own: a date, an instant, `friday`, `last week`. Null for anything else. */
export function parseDays(text: string, now: Date, zone: Zone): TimeSpan | null {
  const said = text.trim();
  if (/^\d{4}-\d\d-\d\dT/.test(said)) {
    const at = new Date(said);
    return Number.isNaN(at.getTime()) ? null : { from: at, to: at };
  }
  for (const each of [said, `last ${said}`, `in ${said}`]) {
    const { time, rest } = findTime(each, now, zone);
    const whole = time !== null && (time.certain ? rest === '' : each !== said);
    if (time !== null && whole) return { from: time.from, to: time.to };
  }
  return null;
}

interface Phrase {
  readonly pattern: RegExp;
  days(today: number, match: RegExpExecArray): Days | null;
}

const certain = (begin: number, end: number): Days => ({ begin, end, certain: true });
const perhaps = (begin: number, end: number): Days => ({ begin, end, certain: false });

/** 0 is Monday. */
const weekdayOf = (day: number): number => (new Date(day).getUTCDay() + 6) % 7;
const mondayOf = (day: number): number => day - weekdayOf(day) * DAY;
const monthOf = (day: number, shift: number): number => {
  const date = new Date(day);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + shift, 1);
};

/** The last such day before today. */
function lastWeekday(today: number, name: string): number {
  const back = (weekdayOf(today) - (WEEKDAY_NUMBERS[name] ?? 0) + 7) % 7;
  return today - (back === 0 ? 7 : back) * DAY;
}

const words = (list: readonly string[]): string => `(?:${list.join('|')})`;
/** Whole words, in any script; `\b` knows Latin letters only. */
const phrase = (source: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])${source}(?:['’]s)?(?![\\p{L}\\p{M}\\p{N}])`, 'u');

const DAYS_OF_WEEK = words(Object.keys(WEEKDAY_NUMBERS));
const MONTH_NAMES = words(Object.keys(MONTH_NUMBERS));
const T = TIME_WORDS;
const number = (match: RegExpExecArray, group: number): number => Number(match[group] ?? 0);

const PHRASES: readonly Phrase[] = [
  {
    pattern: phrase(`(?:since|from|seit|desde|منذ) (?:${words(T.last)} )?(${DAYS_OF_WEEK})`),
    days: (today, match) => certain(lastWeekday(today, match[1] ?? ''), today + DAY),
  },
  {
    pattern: phrase(`(?:since|seit|desde|منذ) ${words(T.yesterday)}`),
    days: (today) => certain(today - DAY, today + DAY),
  },
  {
    pattern: phrase(`since (\\d{4})-(\\d\\d)-(\\d\\d)`),
    days: (today, match) => certain(dateOf(match), today + DAY),
  },
  {
    pattern: phrase(`(?:on )?(\\d{4})-(\\d\\d)-(\\d\\d)`),
    days: (_, match) => certain(dateOf(match), dateOf(match) + DAY),
  },
  {
    pattern: phrase(`(?:in |over |during )?(?:the )?(?:last|past) (\\d{1,3}) days`),
    days: (today, match) => certain(today - number(match, 1) * DAY, today + DAY),
  },
  {
    pattern: phrase(`(\\d{1,3}) days ago`),
    days: (today, match) =>
      certain(today - number(match, 1) * DAY, today - (number(match, 1) - 1) * DAY),
  },
  {
    pattern: phrase(words(T.dayBeforeYesterday)),
    days: (today) => certain(today - 2 * DAY, today - DAY),
  },
  {
    pattern: phrase(words(T.lastNight)),
    days: (today) => certain(today - DAY, today + DAY),
  },
  { pattern: phrase(words(T.yesterday)), days: (today) => certain(today - DAY, today) },
  { pattern: phrase(words(T.today)), days: (today) => certain(today, today + DAY) },
  {
    pattern: phrase(words(T.lastWeek)),
    days: (today) => certain(mondayOf(today) - 7 * DAY, mondayOf(today)),
  },
  {
    pattern: phrase(`(?:earlier )?${words(T.thisWeek)}`),
    days: (today) => certain(mondayOf(today), mondayOf(today) + 7 * DAY),
  },
  {
    pattern: phrase(words(T.weekend)),
    days: (today) => {
      const saturday = mondayOf(today) + 5 * DAY;
      const begin = saturday > today ? saturday - 7 * DAY : saturday;
      return certain(begin, begin + 2 * DAY);
    },
  },
  {
    pattern: phrase(words(T.lastMonth)),
    days: (today) => certain(monthOf(today, -1), monthOf(today, 0)),
  },
  {
    pattern: phrase(words(T.thisMonth)),
    days: (today) => certain(monthOf(today, 0), monthOf(today, 1)),
  },
  {
    pattern: phrase(words(T.lastYear)),
    days: (today) => certain(yearOf(today, -1), yearOf(today, 0)),
  },
  {
    pattern: phrase(`(?:on )?${words(T.last)} (${DAYS_OF_WEEK})`),
    days: (today, match) => onDay(lastWeekday(today, match[1] ?? '')),
  },
  {
    pattern: phrase(`(${DAYS_OF_WEEK}) ${words(T.past)}`),
    days: (today, match) => onDay(lastWeekday(today, match[1] ?? '')),
  },
  {
    pattern: phrase(`this (${DAYS_OF_WEEK})`),
    days: (today) => perhaps(mondayOf(today), mondayOf(today) + 7 * DAY),
  },
  {
    pattern: phrase(`${words(T.onDay)} (${DAYS_OF_WEEK})`),
    days: (today, match) => {
      const day = lastWeekday(today, match[1] ?? '');
      return perhaps(day, day + DAY);
    },
  },
  {
    pattern: phrase(`${words(T.inMonth)} (${MONTH_NAMES})(?: (?:of |de |do )?(\\d{4}))?`),
    days: (today, match) => {
      const month = MONTH_NUMBERS[match[1] ?? ''] ?? 0;
      const date = new Date(today);
      const year = match[2] === undefined ? date.getUTCFullYear() : number(match, 2);
      const back = match[2] === undefined && month > date.getUTCMonth() ? 1 : 0;
      return perhaps(Date.UTC(year - back, month, 1), Date.UTC(year - back, month + 1, 1));
    },
  },
];

const onDay = (day: number): Days => certain(day, day + DAY);
const yearOf = (day: number, shift: number): number =>
  Date.UTC(new Date(day).getUTCFullYear() + shift, 0, 1);
const dateOf = (match: RegExpExecArray): number =>
  Date.UTC(number(match, 1), number(match, 2) - 1, number(match, 3));
