// When a rule happens, in a zone. A local time that does not exist that day happens at the first moment
// after the gap, one that comes twice happens the first time only: each local time of a rule is one
// occurrence, whatever the clocks do. Pure; cron is read by croner, as local times, never as instants.
import { Cron } from 'croner';
import { momentOf, type Weekday, weekdayOf } from './local.ts';
import type { Rule } from './rule.ts';
import type { Zone } from './zone.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

/** The first occurrence later than `after`; null when there is none any more. */
export function nextAfter(rule: Rule, zone: Zone, after: Date): Date | null {
  for (const at of from(rule, zone, after.getTime() + 1)) return new Date(at);
  return null;
}

/** Those of `[from, to]`, in order, each once; at most so many. */
export function occurrences(
  rule: Rule,
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
export function nextTimes(rule: Rule, zone: Zone, after: Date, most: number): Date[] {
  const forever = new Date(8.64e15);
  return occurrences(rule, zone, { from: new Date(after.getTime() + 1), to: forever, most });
}

/** All instants from this one on. Later local times are never earlier instants, so one pass is enough. */
function* from(rule: Rule, zone: Zone, first: number): Generator<number> {
  if (rule.kind === 'once') {
    const at = momentOf(rule.at, zone);
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
function localTimes(rule: Exclude<Rule, { kind: 'once' }>, first: number): Iterable<number> {
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
  const cron = readCron(expression);
  let at = cron.nextRun(new Date(first - 1_000));
  while (at !== null) {
    if (at.getTime() >= first) yield at.getTime();
    at = cron.nextRun(at);
  }
}

/** Throws what croner says of an expression that is none. */
export function readCron(expression: string): Cron {
  return new Cron(expression, { mode: '5-part', utcOffset: 0 });
}
