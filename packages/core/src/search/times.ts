// Times as people say them in a question, against the day it is asked on: "yesterday", "last week", "since
// Friday", "in March". Whole days of the asker's zone; weeks begin on Monday; what is meant lies in the past.
import type { Zone } from '../schedule/zone.ts';
import { fold } from './fold.ts';
import { MONTHS, TIME_WORDS, WEEKDAYS } from './time-words.ts';

export interface Span {
  readonly from: Date;
  /** Not in it any more. */
  readonly to: Date;
}

export interface SaidTime extends Span {
  /**
   * False for what may as well be a part of what is looked for: "the flight in December" was not written
   * in December.
   */
  readonly certain: boolean;
}

export interface TimeFound {
  readonly time: SaidTime | null;
  /** The question without the words that said it for certain. */
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
  const folded = fold(text);
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

/** Days that somebody names by themselves: a date, an instant, `friday`, `last week`. Null for anything else. */
export function readDays(text: string, now: Date, zone: Zone): Span | null {
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
  const back = (weekdayOf(today) - (WEEKDAYS[name] ?? 0) + 7) % 7;
  return today - (back === 0 ? 7 : back) * DAY;
}

const words = (list: readonly string[]): string => `(?:${list.join('|')})`;
/** Whole words, in any script; `\b` knows Latin letters only. */
const phrase = (source: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])${source}(?:['’]s)?(?![\\p{L}\\p{M}\\p{N}])`, 'u');

const DAYS_OF_WEEK = words(Object.keys(WEEKDAYS));
const MONTH_NAMES = words(Object.keys(MONTHS));
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
      const month = MONTHS[match[1] ?? ''] ?? 0;
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
