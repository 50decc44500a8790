// Computes when a rule occurs in a zone. A local time that a clock change skips occurs at the first moment after the
// gap; one that comes twice occurs the first time only. So each local time of a rule is one occurrence. croner
// evaluates cron in local times, never as instants.

import type { CatchUp } from '@relay/contract/api/constants';
import { WEEKDAYS, type Weekday } from '@relay/contract/schedule/names';
import { ruleSchema, type ScheduleRule } from '@relay/contract/schedule/rule';
import { Cron } from 'croner';
import { formatLocalTime } from './format.ts';
import { findZone, instantOfLocal, weekdayOf, type Zone } from './zone.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

/** The first occurrence after `after`; null if there is none. */
export function nextOccurrence(rule: ScheduleRule, zone: Zone, after: Date): Date | null {
  for (const at of from(rule, zone, after.getTime() + 1)) return new Date(at);
  return null;
}

/** The occurrences in `[from, to]`, in order, each once, up to a maximum. */
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

/** The next occurrences, as a preview for people. */
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
  // From the moment before: a skipped time occurs at the end of the gap, which may be the first moment.
  for (const local of localTimes(rule, zone.localAt(last))) {
    const at = zone.instantOf(local);
    if (at <= last || !zone.hasDay(local)) continue;
    last = at;
    yield at;
  }
}

/** The local times of a repeating rule, from this one on. */
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

/** Throws croner's error for an invalid expression. */
function parseCron(expression: string): Cron {
  return new Cron(expression, { mode: '5-part', utcOffset: 0 });
}

// Decides what a due schedule does, however late the check: which run happens now, which are skipped, and when it is
// next due. One run at a time, so that each can be stored with its effect; call it again at once while the next one is
// due too.

/** A run later than this was missed: longer than a restart, and short enough not to matter. */
const ON_TIME_MS = 5 * 60_000;
/** The maximum number of missed runs that are sent late, so that a closed laptop does not flood a chat. */
const MAX_LATE_RUNS = 100;
/** How many are examined together. */
const LOOK = 10_000;

export const SKIP_REASONS = {
  late: 'Relay was offline at that time, and this schedule skips missed runs.',
  superseded: 'Relay was offline at that time, and a later run was sent instead.',
  replaced: 'It could not be sent in time, and the next run replaced it.',
  too_many: 'Relay was offline for so long that only the last 100 runs were sent late.',
} as const;
type SkipReason = keyof typeof SKIP_REASONS;

export interface SkippedRuns {
  readonly first: Date;
  readonly last: Date;
  readonly count: number;
  readonly reason: SkipReason;
}

export interface CatchUpPlan {
  readonly runAt: Date | null;
  readonly skippedRuns: SkippedRuns | null;
  /** Null if there are no further runs. Can be in the past. */
  readonly next: Date | null;
}

interface DueSchedule {
  readonly rule: ScheduleRule;
  readonly zone: Zone;
  readonly catchUp: CatchUp;
  /** The first occurrence that is not decided yet. */
  readonly nextAt: Date;
  readonly now: Date;
}

export function planDueRun({ rule, zone, catchUp, nextAt, now }: DueSchedule): CatchUpPlan {
  const due = occurrences(rule, zone, { from: nextAt, to: now, most: LOOK });
  const last = due.at(-1);
  if (last === undefined) return { runAt: null, skippedRuns: null, next: nextAt };
  const whole = due.length < LOOK;
  const happening = whole ? whichHappens(due, catchUp, now) : due.length;
  const runAt = due[happening] ?? null;
  return {
    runAt,
    skippedRuns: skippedOf(due.slice(0, happening), catchUp, runAt),
    next: nextOccurrence(rule, zone, runAt ?? last),
  };
}

/** Its index among the due runs; all before it are skipped. */
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
  runAt: Date | null,
): SkippedRuns | null {
  const [first, last] = [skipped[0], skipped.at(-1)];
  if (first === undefined || last === undefined) return null;
  const instead = runAt === null ? 'late' : 'superseded';
  return { first, last, count: skipped.length, reason: catchUp === 'all' ? 'too_many' : instead };
}

// The errors of a schedule, each as a sentence with what to do instead.

type CheckedRule =
  | { readonly ok: true; readonly rule: ScheduleRule; readonly zone: Zone; readonly next: Date }
  | { readonly ok: false; readonly sentence: string };

const wrong = (sentence: string): CheckedRule => ({ ok: false, sentence });

/** Checks a rule from outside: well formed, in a known zone, and with a run still to come. */
export function checkRule(given: unknown, zoneName: string, now: Date): CheckedRule {
  const zone = findZone(zoneName);
  if (zone === null) {
    return wrong(`"${zoneName}" is not a time zone. Give one such as Europe/Berlin.`);
  }
  const parsed = ruleSchema.safeParse(given);
  if (!parsed.success) {
    const message = parsed.error.issues[0]?.message ?? 'The rule is not valid';
    return wrong(`${message.replace(/\.$/, '')}.`);
  }
  const rule = inOrder(parsed.data);
  const fault = rule.kind === 'cron' ? cronFault(rule.expression) : null;
  if (fault !== null) return wrong(fault);
  const next = nextOccurrence(rule, zone, now);
  if (next !== null) return { ok: true, rule, zone, next };
  return wrong(
    rule.kind === 'once'
      ? `${rule.at.replace('T', ' ')} has passed: it is now ${formatLocalTime(now, zone)}. Give a later time.`
      : 'This never happens: no day matches it.',
  );
}

/** Each day once, from Monday on, so that equal rules are identical however they were written. */
const inOrder = (rule: ScheduleRule): ScheduleRule =>
  rule.kind === 'weekly'
    ? { ...rule, days: WEEKDAYS.filter((day) => rule.days.includes(day)) }
    : rule;

const FIELDS =
  'minute, hour, day of the month, month and day of the week, such as "0 9 * * mon-fri"';

function cronFault(expression: string): string | null {
  // In croner it stands for the time of parsing, which makes no rule.
  if (expression.includes('?'))
    return `A cron expression cannot contain "?". Its fields are ${FIELDS}.`;
  try {
    parseCron(expression);
    return null;
  } catch (error) {
    const said = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : '';
    const what = /parts/.test(said) ? 'it needs 5 fields' : said.replace(/\.$/, '');
    return `"${expression}" is not a cron expression: ${what}. Its fields are ${FIELDS}.`;
  }
}
