// Formats a schedule's rule and times for people. Always in English, whatever the machine's language.

import type { CatchUp } from '@relay/contract/api/constants';
import { WEEKDAYS, type Weekday } from '@relay/contract/schedule/names';
import type { ScheduleRule } from '@relay/contract/schedule/rule';
import { instantOfLocal, weekdayOf, type Zone } from './zone.ts';

const DAYS: Readonly<Record<Weekday, string>> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
};
export const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** Such as: every weekday at 09:00, Europe/Berlin. */
export const describeRule = (rule: ScheduleRule, zone: Zone): string =>
  `${ruleWords(rule, zone)}, ${zone.name}`;

function ruleWords(rule: ScheduleRule, zone: Zone): string {
  switch (rule.kind) {
    case 'once':
      return `once, ${formatLocalTime(new Date(instantOfLocal(rule.at, zone)), zone)}`;
    case 'daily':
      return `every day at ${rule.time}`;
    case 'weekly':
      return `every ${daysWords(rule.days)} at ${rule.time}`;
    case 'cron':
      return cronWords(rule.expression);
  }
}

function daysWords(days: readonly Weekday[]): string {
  if (days.length === WEEKDAYS.length) return 'day';
  if (days.join() === WEEKDAYS.slice(0, 5).join()) return 'weekday';
  const names = days.map((day) => DAYS[day]);
  const last = names.pop() ?? '';
  return names.length === 0 ? last : `${names.join(', ')} and ${last}`;
}

/** An expression that people can read: a day of each month or of one month, or every so many minutes or hours. */
type ReadableCron =
  | {
      readonly day: number | 'last';
      /** From 1; null for each month. */
      readonly month: number | null;
      readonly time: string;
    }
  | { readonly every: 'minutes' | 'hours'; readonly count: number };

/** The few expressions that typed schedules produce; null for all others, which are shown verbatim. */
export function readCron(expression: string): ReadableCron | null {
  const [, minute = '', hour = '', day = '', month = ''] =
    /^(\d{1,2}) (\d{1,2}) (\d{1,2}|L) (\d{1,2}|\*) \*$/.exec(expression) ?? [];
  if (day !== '') {
    return {
      day: day === 'L' ? 'last' : Number(day),
      month: month === '*' ? null : Number(month),
      time: `${two(Number(hour))}:${two(Number(minute))}`,
    };
  }
  const minutes = /^\*(?:\/(\d+))? \* \* \* \*$/.exec(expression);
  if (minutes !== null) return { every: 'minutes', count: Number(minutes[1] ?? 1) };
  const hours = /^0 \*(?:\/(\d+))? \* \* \*$/.exec(expression);
  return hours === null ? null : { every: 'hours', count: Number(hours[1] ?? 1) };
}

/** Not every month has the days after this one. */
export const LAST_DAY_OF_EACH_MONTH = 28;

function cronWords(expression: string): string {
  const cron = readCron(expression);
  if (cron === null) return `cron "${expression}"`;
  if ('every' in cron) {
    return cron.count === 1
      ? `every ${cron.every.slice(0, -1)}`
      : `every ${cron.count} ${cron.every}`;
  }
  const { day, month, time } = cron;
  const name = month === null ? undefined : MONTH_NAMES[month - 1];
  if (day === 'last') return `on the last day of ${name ?? 'every month'} at ${time}`;
  if (name !== undefined) return `every year on ${day} ${name} at ${time}`;
  const few = day > LAST_DAY_OF_EACH_MONTH ? ' that has one' : '';
  return `on the ${ordinal(day)} of every month${few} at ${time}`;
}

function ordinal(day: number): string {
  const teen = day > 10 && day < 14;
  return `${day}${(teen ? undefined : { 1: 'st', 2: 'nd', 3: 'rd' }[day % 10]) ?? 'th'}`;
}

const CATCH_UPS: Readonly<Record<CatchUp, string>> = {
  skip: 'skip missed runs',
  once: 'send the last missed run late',
  all: 'send all missed runs late',
};

/** What happens to missed runs, as the end of “If Relay is offline at that time: …”. */
export function describeCatchUp({ kind }: Pick<ScheduleRule, 'kind'>, catchUp: CatchUp): string {
  if (kind !== 'once') return CATCH_UPS[catchUp];
  return catchUp === 'skip' ? 'skip the run' : 'send it late';
}

/** Such as: Mon 16 Nov 2026 14:30. */
export function formatLocalTime(at: Date, zone: Zone): string {
  const local = new Date(zone.localAt(at.getTime()));
  const day = DAYS[weekdayOf(local.getTime())].slice(0, 3);
  const month = MONTH_NAMES[local.getUTCMonth()]?.slice(0, 3);
  const date = `${local.getUTCDate()} ${month} ${local.getUTCFullYear()}`;
  return `${day} ${date} ${two(local.getUTCHours())}:${two(local.getUTCMinutes())}`;
}

const two = (value: number): string => String(value).padStart(2, '0');
