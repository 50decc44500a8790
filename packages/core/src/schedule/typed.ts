// Parses schedules as people type them: one table of forms, each with an example. Anything else is refused with that
// table. The resulting rule still has to be checked.

import { WEEKDAYS, type Weekday } from '@relay/contract/schedule/names';
import type { ScheduleRule } from '@relay/contract/schedule/rule';
import { MONTH_NAMES } from './format.ts';
import { nextOccurrence } from './occurrences.ts';
import type { Zone } from './zone.ts';

interface TypedScheduleContext {
  readonly zone: Zone;
  readonly now: Date;
}

interface Form {
  readonly example: string;
  readonly pattern: RegExp;
  /** Forms that say how long from now, or how often in a day, take no time. */
  readonly timeless?: true;
  read(
    found: Readonly<Record<string, string>>,
    time: string,
    asked: TypedScheduleContext,
  ): ScheduleRule | null;
}

const DAY_MS = 86_400_000;
const DAY = '(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?|s)?';
const DAYS = `${DAY}(?:(?:,? and |, ?| ?& ?| )${DAY})*`;
const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*';
const NTH = '\\d{1,2}(?:st|nd|rd|th)?';
const DATE = `(?:(?<day>${NTH})(?: of)? (?<month>${MONTH})|(?<month2>${MONTH}) (?<day2>${NTH}))`;

const cron = (time: string, day: string, month = '*'): ScheduleRule => {
  const [hour, minute] = time.split(':').map(Number);
  return { kind: 'cron', expression: `${minute} ${hour} ${day} ${month} *` };
};

/** The first match counts. */
const FORMS: readonly Form[] = [
  {
    example: 'in 2 hours',
    pattern: /^in (?<span>.+)$/,
    timeless: true,
    read: ({ span = '' }, _time, { now }) => {
      const ms = spanOf(span);
      return ms === null ? null : once(new Date(now.getTime() + ms).toISOString());
    },
  },
  {
    example: 'tomorrow 14:30',
    pattern: /^(?<day>today|tomorrow|the day after tomorrow)?$/,
    read: ({ day }, time, { zone, now }) => {
      const ahead = ['today', 'tomorrow', 'the day after tomorrow'].indexOf(day ?? '');
      if (ahead >= 0) return once(`${dateIn(zone, now, ahead)}T${time}`);
      return nextOf({ kind: 'daily', time }, { zone, now });
    },
  },
  {
    example: 'on friday at 18:00',
    pattern: new RegExp(`^(?:on |next |this |on next )?(?<day>${DAY.replace('days?|s', 'day')})$`),
    read: ({ day = '' }, time, asked) => nextOf({ kind: 'weekly', days: daysOf(day), time }, asked),
  },
  {
    example: '2026-12-24 18:00',
    pattern: /^(?:on )?(?<date>\d{4}-\d\d-\d\d)t?$/,
    read: ({ date }, time) => once(`${date}T${time}`),
  },
  {
    example: '24 december at 18:00',
    pattern: new RegExp(`^(?:on )?(?:the )?${DATE}(?:,? (?<year>\\d{4}))?$`),
    read: ({ year, ...date }, time, { zone, now }) => {
      const [month, day] = dateOf(date);
      const at = (each: number) => `${each}-${two(month)}-${two(day)}T${time}`;
      if (year !== undefined) return once(at(Number(year)));
      const this_ = new Date(zone.localAt(now.getTime())).getUTCFullYear();
      const passed = zone.instantOf(Date.parse(`${at(this_)}Z`)) <= now.getTime();
      return once(at(passed ? this_ + 1 : this_));
    },
  },
  {
    example: 'daily 09:00',
    pattern: /^(?:daily|every ?day|each day)$/,
    read: (_found, time) => ({ kind: 'daily', time }),
  },
  {
    example: 'every weekday 9am',
    pattern: /^(?:on |every |each )?(?<which>weekdays?|working days?|weekends?)$/,
    read: ({ which = '' }, time) => ({
      kind: 'weekly',
      days: which.startsWith('weekend') ? WEEKDAYS.slice(5) : WEEKDAYS.slice(0, 5),
      time,
    }),
  },
  {
    example: 'on fridays at 18:00',
    pattern: new RegExp(
      `^(?:weekly on |weekly |every week on |every |each |on )?(?<days>${DAYS})$`,
    ),
    read: ({ days = '' }, time) => ({ kind: 'weekly', days: daysOf(days), time }),
  },
  {
    example: 'every month on the 1st at 8',
    pattern: new RegExp(
      `^(?:(?:every month|monthly|each month)(?: on)?(?: the)? (?<day>${NTH}|last day)|(?:on )?(?:the )?(?:every )?(?<day2>${NTH}|last day) of (?:every|each|the) month)$`,
    ),
    read: ({ day, day2 }, time) => {
      const given = day ?? day2 ?? '';
      return cron(time, given === 'last day' ? 'L' : String(Number.parseInt(given, 10)));
    },
  },
  {
    example: 'every year on 24 december at 9',
    pattern: new RegExp(`^(?:every year|yearly|each year)(?: on)?(?: the)? ${DATE}$`),
    read: (date, time) => {
      const [month, day] = dateOf(date);
      return cron(time, String(day), String(month));
    },
  },
  {
    example: 'every 2 hours',
    pattern: /^(?:every|each) (?:(?<every>\d+) )?(?<unit>hour|minute|min)s?$|^(?<hourly>hourly)$/,
    timeless: true,
    read: ({ every = '1', unit = 'hour' }) => {
      const [count, whole] = [Number(every), unit === 'hour' ? 24 : 60];
      if (count < 1 || whole % count !== 0) return null;
      const step = count === 1 ? '*' : `*/${count}`;
      return { kind: 'cron', expression: unit === 'hour' ? `0 ${step} * * *` : `${step} * * * *` };
    },
  },
];

const CRON =
  /^(?:cron:? )?(?<expression>(?=[\d*])(?:[\d*,/#lw-]|[a-z]{3})+(?: (?:[\d*,/#lw-]|[a-z]{3})+){4})$/i;
const INSTANT = /^\d{4}-\d\d-\d\dt\d\d:\d\d(:\d\d(\.\d+)?)?(z|[+-]\d\d:\d\d)$/i;

type TypedScheduleResult =
  | { readonly ok: true; readonly rule: ScheduleRule }
  | { readonly ok: false; readonly sentence: string };

export const TYPED_SCHEDULE_EXAMPLES: readonly string[] = [
  ...FORMS.map(({ example }) => example),
  '0 9 * * mon-fri',
];

/** For a refusal: what would have been understood. */
const ACCEPTED = `Write it like one of these: ${TYPED_SCHEDULE_EXAMPLES.map((example) => `"${example}"`).join(', ')}`;

export function parseTypedSchedule(
  typed: string,
  asked: TypedScheduleContext,
): TypedScheduleResult {
  const text = typed.trim();
  if (INSTANT.test(text))
    return { ok: true, rule: once(new Date(text.toUpperCase()).toISOString()) };
  const expression = CRON.exec(text)?.groups?.expression;
  if (expression !== undefined) return { ok: true, rule: { kind: 'cron', expression } };
  const timed = extractTime(text.replace(/^(\d{4}-\d\d-\d\d)t(?=\d)/i, '$1 '));
  if (timed === null) return wrong(`"${text}" has several times of day or an invalid one`);
  for (const form of FORMS) {
    const source = form.timeless === true ? text.toLowerCase().replace(/\s+/g, ' ') : timed.rest;
    const found = form.pattern.exec(source);
    if (found === null) continue;
    if (form.timeless !== true && timed.time === null) {
      return wrong(source === '' ? `"${text}" is not a time` : `"${text}" has no time of day`);
    }
    const rule = form.read(given(found.groups), timed.time ?? '', asked);
    if (rule !== null) return { ok: true, rule };
  }
  return wrong(`"${text}" is not a time that Relay understands`);
}

const wrong = (what: string): TypedScheduleResult => ({
  ok: false,
  sentence: `${what}. ${ACCEPTED}.`,
});

const given = (groups: RegExpExecArray['groups']): Record<string, string> =>
  Object.fromEntries(Object.entries(groups ?? {}).filter(([, value]) => value !== undefined));

const once = (at: string): ScheduleRule => ({ kind: 'once', at });

/** The next occurrence of a repeating rule, as a rule that runs once. */
function nextOf(rule: ScheduleRule, { zone, now }: TypedScheduleContext): ScheduleRule | null {
  const next = nextOccurrence(rule, zone, now);
  return next === null ? null : once(next.toISOString());
}

const dateIn = (zone: Zone, now: Date, days: number): string =>
  new Date(zone.localAt(now.getTime()) + days * DAY_MS).toISOString().slice(0, 10);

function daysOf(text: string): Weekday[] {
  const named = text.match(/[a-z]{3,}/g) ?? [];
  return WEEKDAYS.filter((day) => named.some((name) => name.startsWith(day)));
}

function dateOf(found: Readonly<Record<string, string>>): readonly [month: number, day: number] {
  const name = (found.month ?? found.month2 ?? '').slice(0, 3);
  const month = MONTH_NAMES.findIndex((each) => each.toLowerCase().startsWith(name)) + 1;
  return [month, Number.parseInt(found.day ?? found.day2 ?? '', 10)];
}

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: DAY_MS,
  w: 7 * DAY_MS,
};
const PIECE =
  /^(?:and )?(?<count>\d{1,6}|an?|half an) ?(?<unit>second|sec|s|minute|min|m|hour|hr|h|day|d|week|w)s?(?![a-z]),? ?/;

/** Such as: 2 hours, an hour and 30 minutes, 1h30m. Null if it is not a length of time. */
function spanOf(text: string): number | null {
  let [rest, ms] = [text.trim(), 0];
  while (rest !== '') {
    const { count = '', unit = '' } = PIECE.exec(rest)?.groups ?? {};
    const size = UNITS[unit.charAt(0)];
    if (size === undefined) return null;
    const many = count === 'half an' ? 0.5 : count.startsWith('a') ? 1 : Number(count);
    ms += many * size;
    rest = rest.replace(PIECE, '').trim();
  }
  return ms > 0 ? ms : null;
}

const two = (value: number): string => String(value).padStart(2, '0');

// Finds the time of day in typed text and removes it, so that the rest says which days.

interface TimeExtraction {
  /** HH:MM; null if there is none. */
  readonly time: string | null;
  /** The rest, in lower case with single spaces. */
  readonly rest: string;
}

const NAMED: Readonly<Record<string, string>> = {
  noon: '12:00',
  midday: '12:00',
  midnight: '00:00',
};

/** Unambiguous ways to write a time first; a bare number only at the end. */
const WAYS: readonly RegExp[] = [
  /(?:^| )(?:at )?(?<hour>\d{1,2}):(?<minute>\d{2})(?: ?(?<half>am|pm))?(?= |$)/,
  /(?:^| )(?:at )?(?<hour>\d{1,2}) ?(?<half>am|pm)(?= |$)/,
  /(?:^| )(?:at )?(?<name>noon|midday|midnight)(?= |$)/,
  /(?:^| )at (?<hour>\d{1,2})(?: o['’]?clock)?(?= |$)/,
  /(?<=[a-z] )(?<hour>\d{1,2})$/,
];
const PART =
  /(?: in the| this)? (?<part>morning|afternoon|evening)(?= |$)|(?:^| )(?<night>tonight)(?= |$)/;

/** Null if there is more than one time, or an impossible one. */
function extractTime(typed: string): TimeExtraction | null {
  const text = typed
    .toLowerCase()
    .replace(/\b([ap])\.?m\b\.?/g, '$1m')
    .replace(/[\s]+/g, ' ')
    .trim();
  const part = PART.exec(` ${text}`)?.groups;
  const afternoon =
    part?.part === 'afternoon' || part?.part === 'evening' || part?.night !== undefined;
  for (const way of WAYS) {
    const found = way.exec(text);
    if (found === null) continue;
    const time = timeOf(found.groups ?? {}, afternoon);
    const rest = text.replace(way, '').trim();
    const another = WAYS.slice(0, 4).some((each) => each.test(rest));
    return time === null || another ? null : { time, rest: withoutPart(rest) };
  }
  return { time: null, rest: withoutPart(text) };
}

/** Tonight is today; the other parts of the day add nothing once there is a time. */
const withoutPart = (text: string): string =>
  text
    .replace(/\btonight\b/, 'today')
    .replace(/\bevery (morning|afternoon|evening)\b/, 'every day')
    .replace(/(?: in the| this)? (morning|afternoon|evening)(?= |$)/, '')
    .replace(/,$/, '')
    .trim();

function timeOf(
  { name, hour = '', minute = '00', half }: Record<string, string | undefined>,
  afternoon: boolean,
): string | null {
  if (name !== undefined) return NAMED[name] ?? null;
  const shown = Number(hour);
  if (half !== undefined && (shown < 1 || shown > 12)) return null;
  const late = half === 'pm' || (half === undefined && afternoon && shown < 12);
  const hours = half === undefined && !late ? shown : (shown % 12) + (late ? 12 : 0);
  if (hours > 23 || Number(minute) > 59) return null;
  return `${String(hours).padStart(2, '0')}:${minute}`;
}
