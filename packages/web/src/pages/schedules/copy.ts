// Texts of the schedules page: the summary, the result of the last run, what cancelling stops, and clock changes
// between runs. Pure.
import type { CatchUp } from '@relay/contract/api/constants';
import type { Schedule, ScheduleRun } from '@relay/contract/api/schedules';
import { WEEKDAYS, type Weekday } from '@relay/contract/schedule/names';
import type { ScheduleRule } from '@relay/contract/schedule/rule';
import { LAST_DAY_OF_EACH_MONTH, readCron } from '@relay/core/schedule/format';
import { findZone } from '@relay/core/schedule/zone';
import {
  IconAlertTriangle,
  IconCheck,
  IconChecks,
  IconCircleDashed,
  IconClock,
  IconHandStop,
  IconHelpCircle,
  IconLock,
} from '@tabler/icons-react';
import { formatLocale, t } from '../../i18n.ts';
import { formatContact, formatSpan } from '../../parts/format.ts';
import type { StateDisplay } from '../../parts/marks.tsx';
import { reasonSentence } from '../../parts/sentences.ts';

/** Values of a message that names the recipient. */
export type RecipientValues = {
  readonly name: string;
  /** Whether it is the owner's own chat. */
  readonly own: 'yes' | 'no';
};

/** `own` is the linked number in digits. */
export function scheduleRecipient(
  { recipient, recipient_name: name }: Pick<Schedule, 'recipient' | 'recipient_name'>,
  own: string | null,
): RecipientValues {
  const isOwn = own !== null && recipient === `+${own}`;
  return {
    name: name ?? (recipient === null ? t('common.unknownPerson') : formatContact(recipient)),
    own: isOwn ? 'yes' : 'no',
  };
}

export function schedulesSummary(
  active: readonly Schedule[],
  hasMore: boolean,
  now: number,
): string {
  const next = active[0]?.next[0];
  if (next === undefined) return t('schedules.summary.none');
  const count = active.length;
  const wait = Date.parse(next) - now;
  if (wait <= 0) return t(`schedules.summary.${hasMore ? 'manyNow' : 'nextNow'}`, { count });
  return t(`schedules.summary.${hasMore ? 'many' : 'next'}`, { count, time: formatSpan(wait) });
}

/** What happens to missed runs. */
export function catchUpText({ kind }: Pick<ScheduleRule, 'kind'>, catchUp: CatchUp): string {
  if (kind !== 'once') return t(`schedules.catchUp.repeat.${catchUp}`);
  return t(`schedules.catchUp.once.${catchUp === 'skip' ? 'skip' : 'late'}`);
}

/** Such as `every weekday at 09:00, Europe/Berlin`. */
export function ruleText({ rule, zone }: Pick<Schedule, 'rule' | 'zone'>, now: number): string {
  return t('schedules.rule.inZone', { rule: ruleWithoutZone(rule, zone, now), zone });
}

function ruleWithoutZone(rule: ScheduleRule, zone: string, now: number): string {
  switch (rule.kind) {
    case 'once': {
      const isInstant = rule.at.endsWith('Z');
      const date = isInstant
        ? timeInZone(zone, rule.at, now)
        : timeInZone('UTC', `${rule.at}Z`, now);
      return t('schedules.rule.once', { date });
    }
    case 'daily':
      return t('schedules.rule.daily', { time: rule.time });
    case 'weekly':
      return weeklyText(rule.days, rule.time);
    case 'cron':
      return cronText(rule.expression);
  }
}

function weeklyText(days: readonly Weekday[], time: string): string {
  if (days.length === WEEKDAYS.length) return t('schedules.rule.daily', { time });
  if (days.join() === WEEKDAYS.slice(0, 5).join()) return t('schedules.rule.weekdays', { time });
  const names = days.map((day) => utcDate({ weekday: 'long' }, 1, 1 + WEEKDAYS.indexOf(day)));
  const list = new Intl.ListFormat(formatLocale(), { type: 'conjunction' }).format(names);
  return t('schedules.rule.weekly', { days: list, time });
}

function cronText(expression: string): string {
  const cron = readCron(expression);
  if (cron === null) return t('schedules.rule.cron', { expression });
  if ('every' in cron) return t(`schedules.rule.${cron.every}`, { count: cron.count });
  const { day, month, time } = cron;
  if (day === 'last') {
    return month === null
      ? t('schedules.rule.monthEnd', { time })
      : t('schedules.rule.cron', { expression });
  }
  if (month !== null) {
    const date = utcDate({ day: 'numeric', month: 'long' }, month, day);
    return t('schedules.rule.yearly', { date, time });
  }
  const id = day > LAST_DAY_OF_EACH_MONTH ? 'monthlyFew' : 'monthly';
  return t(`schedules.rule.${id}`, { day, time });
}

/** Of 2024, which begins with a Monday and has a 29 February. */
const utcDate = (format: Intl.DateTimeFormatOptions, month: number, day: number): string =>
  new Date(Date.UTC(2024, month - 1, day)).toLocaleDateString(formatLocale(), {
    ...format,
    timeZone: 'UTC',
  });

const MESSAGE_STATE_DISPLAY: Readonly<
  Record<NonNullable<ScheduleRun['message_state']>, StateDisplay>
> = {
  pending: { label: 'common.delivery.pending', hue: 'agent', icon: IconClock },
  sent: { label: 'common.delivery.sent', hue: 'ok', icon: IconCheck },
  delivered: { label: 'common.delivery.delivered', hue: 'ok', icon: IconChecks },
  read: { label: 'common.delivery.read', hue: 'ok', icon: IconChecks },
  failed: { label: 'common.delivery.failed', hue: 'bad', icon: IconAlertTriangle },
  unknown: { label: 'common.delivery.unknown', hue: 'held', icon: IconHelpCircle },
};

/** The result of a run. Once the owner has answered its approval, the state of its message is shown. */
export function runDisplay({
  outcome,
  message_state: state,
  approval_id,
}: ScheduleRun): StateDisplay {
  if (state !== null) return MESSAGE_STATE_DISPLAY[state];
  switch (outcome) {
    case 'queued':
      return MESSAGE_STATE_DISPLAY.pending;
    case 'waiting':
      return approval_id === null
        ? { label: 'schedules.run.notApproved', hue: 'parked', icon: IconCircleDashed }
        : { label: 'schedules.run.waiting', hue: 'you', icon: IconHandStop };
    case 'refused':
      return { label: 'schedules.run.refused', hue: 'held', icon: IconLock };
    case 'skipped':
      return { label: 'schedules.run.skipped', hue: 'parked', icon: IconCircleDashed };
  }
}

/** The codes of skipped runs. */
const SKIP_REASONS = ['late', 'superseded', 'replaced', 'too_many'] as const;

/** Shown beside the result, unless the run went as planned. */
export function runReason(run: ScheduleRun): string | null {
  const { message_state: state, outcome, count } = run;
  const reason = reasonSentence(run.reason_code, run.reason);
  if (state === 'failed' || state === 'unknown') return reason;
  if (state !== null || outcome === 'queued') return null;
  if (outcome === 'waiting' && run.approval_id === null)
    return t('schedules.run.notApproved.reason');
  const skipped = SKIP_REASONS.find((code) => outcome === 'skipped' && code === run.reason_code);
  if (skipped !== undefined) return t(`schedules.run.skipped.${skipped}`, { count });
  return count > 1 ? t('schedules.run.repeated', { count, reason }) : reason;
}

/** What cancelling stops, shown before confirming. */
export function cancelText({ rule, next, last }: Schedule, now: number): string {
  const [first] = next;
  const upcoming =
    first === undefined
      ? t('schedules.cancel.noRuns')
      : t(rule.kind === 'once' ? 'schedules.cancel.once' : 'schedules.cancel.repeat', {
          time: ownTime(first, now),
        });
  const sentences = [
    upcoming,
    last?.approval_id != null && t('schedules.cancel.approval'),
    last?.approval_id == null && last?.message_state === 'pending' && t('schedules.cancel.queued'),
    t('schedules.cancel.sent'),
  ];
  return sentences.filter(Boolean).join(' ');
}

interface UpcomingRun {
  readonly at: string;
  /** A clock change since the run before, or at this one. */
  readonly note: string | null;
}

/** The next runs with clock changes. `time` is the time of day that the rule names, if any. */
export function withClockChanges(
  next: readonly string[],
  zoneName: string,
  { now, time }: { readonly now: number; readonly time: string | null },
): UpcomingRun[] {
  const zone = findZone(zoneName);
  if (zone === null) return next.map((at) => ({ at, note: null }));
  const offsetAt = (instant: number) => zone.localAt(instant) - instant;
  return next.map((at, index) => {
    const before = index === 0 ? now : Date.parse(next[index - 1] ?? at);
    const instant = Date.parse(at);
    const actual = new Date(zone.localAt(instant)).toISOString().slice(11, 16);
    if (time !== null && actual !== time)
      return { at, note: t('schedules.form.clock.skipped', { time, actual }) };
    const moved = offsetAt(instant) - offsetAt(before);
    if (moved === 0) return { at, note: null };
    const span = formatSpan(Math.abs(moved));
    const direction = moved > 0 ? 'forward' : 'back';
    return { at, note: t(`schedules.form.clock.${direction}`, { span, time: actual }) };
  });
}

// A time in a given time zone. Pure.

const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const DAY_FORMAT = { weekday: 'short', day: 'numeric', month: 'short' } as const;
const TIME_FORMAT = { hour: '2-digit', minute: '2-digit' } as const;

/** The year, if it is another one than now. */
function yearFormat(zone: string, at: string, now: number): Intl.DateTimeFormatOptions {
  const year = (when: string | number) =>
    new Date(when).toLocaleString('en', { timeZone: zone, year: 'numeric' });
  return year(at) === year(now) ? {} : { year: 'numeric' };
}

/** `Mon 16 Nov, 09:00`, with the year if it is another. */
export const timeInZone = (zone: string, at: string, now: number): string =>
  new Date(at).toLocaleString(formatLocale(), {
    timeZone: zone,
    ...DAY_FORMAT,
    ...TIME_FORMAT,
    ...yearFormat(zone, at, now),
  });

/** The same time in the owner's time zone; null where it is the same. */
export function timeForYou(zone: string, at: string, now: number): string | null {
  const time = timeInZone(ownZone(), at, now);
  return time === timeInZone(zone, at, now) ? null : t('schedules.row.yourTime', { time });
}

/** In the owner's time zone, as a list of schedules of several zones is read and sorted. */
export const ownTime = (at: string, now: number): string => timeInZone(ownZone(), at, now);

/** Day and time separately in the owner's time zone, for the head of a row. */
export function dayAndTime(at: string, now: number): { day: string; time: string } {
  const dateOf = (when: string | number) => new Date(when).toDateString();
  const time = new Date(at).toLocaleTimeString(formatLocale(), TIME_FORMAT);
  if (dateOf(at) === dateOf(now)) return { day: t('common.time.today'), time };
  if (dateOf(at) === dateOf(now + 86_400_000)) return { day: t('schedules.row.tomorrow'), time };
  const day = new Date(at).toLocaleDateString(formatLocale(), {
    ...DAY_FORMAT,
    ...yearFormat(ownZone(), at, now),
  });
  return { day, time };
}
