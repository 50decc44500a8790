// When a rule happens, in a zone. A local time that does not exist that day happens at the first moment
// after the gap, one that comes twice happens the first time only: each local time of a rule is one
// occurrence, whatever the clocks do. Pure; cron is read by croner, as local times, never as instants.

import type { CatchUp } from '@relay/contract/api/constants';
import { WEEKDAYS, type Weekday } from '@relay/contract/schedule/names';
import { ruleSchema, type ScheduleRule } from '@relay/contract/schedule/rule';
import { Cron } from 'croner';
import { formatLocalTime } from './format.ts';
import { findZone, instantOfLocal, weekdayOf, type Zone } from './zone.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

/** The first occurrence later than `after`; null when there is none any more. */
export function nextOccurrence(rule: ScheduleRule, zone: Zone, after: Date): Date | null {
  for (const at of from(rule, zone, after.getTime() + 1)) return new Date(at);
  return null;
}

/** Those of `[from, to]`, in order, each once; at most so many. */
export function occurrences(
  rule: ScheduleRule,
  zone: Zone,
  range: { readonly from: Date; readonly to: Date; readonly most?: number },
): Date[] {
  const found: Date[] = [];
  const end = range.to.getTime();
  const most = range.most ?? Number.POSITIVE_INFINITY;
  for (const at of from(rule, zone, range.from.getTime())) {
    if (at > end || found.length >= most) break;
    found.push(new Date(at));
  }
  return found;
}

/** The next so many, for a person to see what they asked for. */
export function nextOccurrences(rule: ScheduleRule, zone: Zone, after: Date, most: number): Date[] {
  const forever = new Date(8.64e15);
  return occurrences(rule, zone, { from: new Date(after.getTime() + 1), to: forever, most });
}

/** All instants from this one on. Later local times are never earlier instants, so one pass is enough. */
function* from(rule: ScheduleRule, zone: Zone, first: number): Generator<number> {
  if (rule.kind === 'once') {
    const at = instantOfLocal(rule.at, zone);
    if (at >= first) yield at;
    return;
  }
  let last = first - 1;
  // From the moment before: what a gap swallowed happens at its end, and its end may be the first moment.
  for (const local of localTimes(rule, zone.localAt(last))) {
    const at = zone.instantOf(local);
    if (at <= last || !zone.hasDay(local)) continue;
    last = at;
    yield at;
  }
}

/** The local times of a rule that repeats, from this one on. */
function localTimes(
  rule: Exclude<ScheduleRule, { kind: 'once' }>,
  first: number,
): Iterable<number> {
  switch (rule.kind) {
    case 'daily':
      return everyDay(rule.time, first, () => true);
    case 'weekly':
      return everyDay(rule.time, first, (day) => rule.days.includes(day));
    case 'cron':
      return byCron(rule.expression, first);
  }
}

function* everyDay(time: string, first: number, on: (day: Weekday) => boolean): Generator<number> {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  for (let midnight = Math.floor(first / DAY) * DAY; ; midnight += DAY) {
    const local = midnight + (hour * 60 + minute) * MINUTE;
    if (local >= first && on(weekdayOf(local))) yield local;
  }
}

function* byCron(expression: string, first: number): Generator<number> {
  const cron = parseCron(expression);
  let at = cron.nextRun(new Date(first - 1_000));
  while (at !== null) {
    if (at.getTime() >= first) yield at.getTime();
    at = cron.nextRun(at);
  }
}

/** Throws what croner says of an expression that is none. */
function parseCron(expression: string): Cron {
  return new Cron(expression, { mode: '5-part', utcOffset: 0 });
}

// What becomes of a schedule whose time has come, however late somebody looks: what happens now, what is
// left out, and when it is next due. One occurrence at a time, so that each can be written down with its
// effect; called again at once while the next one is due too. Pure.

/** Later than this an occurrence was missed: more than a restart takes, less than anybody would mind. */
const ON_TIME_MS = 5 * 60_000;
/** So many that were missed are sent late; a chat is not flooded because a laptop was closed. */
const MAX_LATE_RUNS = 100;
/** So many are looked at together. */
const LOOK = 10_000;

export const SKIP_REASONS = {
  late: 'Relay was not there at the time, and this schedule leaves out what is missed.',
  superseded: 'Relay was not there at the time, and a later one was sent in its place.',
  replaced: 'It could not leave in time, and the next one took its place.',
  too_many: 'Relay was not there for so long that only the last 100 were sent late.',
} as const;
type SkipReason = keyof typeof SKIP_REASONS;

export interface SkippedRuns {
  readonly first: Date;
  readonly last: Date;
  readonly count: number;
  readonly reason: SkipReason;
}

export interface CatchUpPlan {
  readonly happens: Date | null;
  readonly skipped: SkippedRuns | null;
  /** Null when nothing is to come any more. May have passed already. */
  readonly next: Date | null;
}

interface DueSchedule {
  readonly rule: ScheduleRule;
  readonly zone: Zone;
  readonly catchUp: CatchUp;
  /** The first occurrence of which nothing is decided yet. */
  readonly nextAt: Date;
  readonly now: Date;
}

export function planDueRun({ rule, zone, catchUp, nextAt, now }: DueSchedule): CatchUpPlan {
  const due = occurrences(rule, zone, { from: nextAt, to: now, most: LOOK });
  const last = due.at(-1);
  if (last === undefined) return { happens: null, skipped: null, next: nextAt };
  const whole = due.length < LOOK;
  const happening = whole ? whichHappens(due, catchUp, now) : due.length;
  const happens = due[happening] ?? null;
  return {
    happens,
    skipped: skippedOf(due.slice(0, happening), catchUp, happens),
    next: nextOccurrence(rule, zone, happens ?? last),
  };
}

/** Its place among those that are due; all before it are left out. */
function whichHappens(due: readonly Date[], catchUp: CatchUp, now: Date): number {
  const newest = due.length - 1;
  switch (catchUp) {
    case 'all':
      return Math.max(0, due.length - MAX_LATE_RUNS);
    case 'once':
      return newest;
    case 'skip': {
      const late = now.getTime() - (due[newest]?.getTime() ?? 0);
      return late <= ON_TIME_MS ? newest : due.length;
    }
  }
}

function skippedOf(
  skipped: readonly Date[],
  catchUp: CatchUp,
  happens: Date | null,
): SkippedRuns | null {
  const [first, last] = [skipped[0], skipped.at(-1)];
  if (first === undefined || last === undefined) return null;
  const instead = happens === null ? 'late' : 'superseded';
  return { first, last, count: skipped.length, reason: catchUp === 'all' ? 'too_many' : instead };
}

// What is wrong with a schedule before it is one, as a sentence with what to do instead.

type CheckedRule =
  | { readonly ok: true; readonly rule: ScheduleRule; readonly zone: Zone; readonly next: Date }
  | { readonly ok: false; readonly sentence: string };

const wrong = (sentence: string): CheckedRule => ({ ok: false, sentence });

/** A rule that anybody handed in: well formed, in a zone there is, and with something still to come. */
export function checkRule(given: unknown, zoneName: string, now: Date): CheckedRule {
  const zone = findZone(zoneName);
  if (zone === null) {
    return wrong(
      `"${zoneName}" is not a time zone. Give one like Europe/Berlin or America/New_York.`,
    );
  }
  const parsed = ruleSchema.safeParse(given);
  if (!parsed.success)
    return wrong(`${(parsed.error.issues[0]?.message ?? 'It is no rule').replace(/\.$/, '')}.`);
  const rule = inOrder(parsed.data);
  const fault = rule.kind === 'cron' ? cronFault(rule.expression) : null;
  if (fault !== null) return wrong(fault);
  const next = nextOccurrence(rule, zone, now);
  if (next !== null) return { ok: true, rule, zone, next };
  return wrong(
    rule.kind === 'once'
      ? `${rule.at.replace('T', ' ')} has passed: it is ${formatLocalTime(now, zone)}. Give a time that is still to come.`
      : 'That never happens: no day there is matches it.',
  );
}

/** Each day once, from Monday on: the same rule is the same rule, however it was written. */
const inOrder = (rule: ScheduleRule): ScheduleRule =>
  rule.kind === 'weekly'
    ? { ...rule, days: WEEKDAYS.filter((day) => rule.days.includes(day)) }
    : rule;

const FIELDS = 'minute, hour, day of the month, month and day of the week, as in "0 9 * * mon-fri"';

function cronFault(expression: string): string | null {
  // In croner it stands for the time at which it is read, which is no rule.
  if (expression.includes('?')) return `A cron expression cannot hold a "?". It is ${FIELDS}.`;
  try {
    parseCron(expression);
    return null;
  } catch (error) {
    const said = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : '';
    const what = /parts/.test(said) ? 'it has five fields' : said.replace(/\.$/, '');
    return `"${expression}" is no cron expression: ${what}. It is ${FIELDS}.`;
  }
}
