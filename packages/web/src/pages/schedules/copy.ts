// Texts of the schedules page: the summary, the result of the last run, what cancelling stops, and clock changes
// between runs. Pure.
import type { Schedule, ScheduleRun } from '@relay/contract/api/schedules';
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
  type TablerIcon,
} from '@tabler/icons-react';
import { countInWords, formatContact, formatSpan, plural } from '../../parts/format.ts';
import type { Hue } from '../../theme/theme.ts';

/** `own` is the linked number in digits. */
export function scheduleRecipient(
  { recipient, recipient_name: name }: Pick<Schedule, 'recipient' | 'recipient_name'>,
  own: string | null,
): string {
  if (own !== null && recipient === `+${own}`) return 'yourself';
  return (
    name ?? (recipient === null ? 'somebody who is no longer known' : formatContact(recipient))
  );
}

export function schedulesSentence(coming: readonly Schedule[], hasMore: boolean, now: number) {
  const [first] = coming;
  const next = first?.next[0];
  if (next === undefined) return 'Nothing is scheduled.';
  const many = hasMore
    ? `More than ${coming.length} messages are`
    : countInWords(coming.length, 'message is', 'messages are');
  const wait = Date.parse(next) - now;
  return `${many} scheduled. The next leaves ${wait <= 0 ? 'now' : `in ${formatSpan(wait)}`}.`;
}

interface RunDisplay {
  readonly word: string;
  readonly hue: Hue;
  readonly icon: TablerIcon;
}

const MESSAGE_STATE_DISPLAY: Readonly<
  Record<NonNullable<ScheduleRun['message_state']>, RunDisplay>
> = {
  pending: { word: 'On its way', hue: 'agent', icon: IconClock },
  sent: { word: 'Sent', hue: 'ok', icon: IconCheck },
  delivered: { word: 'Arrived', hue: 'ok', icon: IconChecks },
  read: { word: 'Read', hue: 'ok', icon: IconChecks },
  failed: { word: 'Not sent', hue: 'bad', icon: IconAlertTriangle },
  unknown: { word: 'Unsure', hue: 'held', icon: IconHelpCircle },
};

/** The result of a run. Once the owner has answered its approval, the state of its message is shown. */
export function runDisplay({
  outcome,
  message_state: state,
  approval_id,
}: ScheduleRun): RunDisplay {
  if (state !== null) return MESSAGE_STATE_DISPLAY[state];
  switch (outcome) {
    case 'queued':
      return MESSAGE_STATE_DISPLAY.pending;
    case 'waiting':
      return approval_id === null
        ? { word: 'Not sent', hue: 'parked', icon: IconCircleDashed }
        : { word: 'Waits for you', hue: 'you', icon: IconHandStop };
    case 'refused':
      return { word: 'Refused', hue: 'held', icon: IconLock };
    case 'skipped':
      return { word: 'Left out', hue: 'parked', icon: IconCircleDashed };
  }
}

/** Shown beside the result, unless the run went as planned. */
export function runReason(run: ScheduleRun): string | null {
  if (run.message_state === 'failed' || run.message_state === 'unknown') return run.reason;
  if (run.message_state !== null || run.outcome === 'queued') return null;
  if (run.outcome === 'waiting' && run.approval_id === null)
    return 'It was asked about, and nobody said yes.';
  const many = run.count > 1 ? `${plural(run.count, 'time')}. ` : '';
  return `${many}${run.reason}`;
}

/** What cancelling stops, shown before confirming. */
export function cancelText(schedule: Schedule, whom: string, now: number): string {
  const { rule, next, last, zone } = schedule;
  const [first] = next;
  const onItsWay =
    last?.approval_id != null
      ? ' The question that waits for you is withdrawn.'
      : last?.message_state === 'pending'
        ? ' The one on its way is stopped, if it has not left.'
        : '';
  const coming =
    first === undefined
      ? 'Nothing more is to come of it.'
      : rule.kind === 'once'
        ? `The message of ${timeInZone(zone, first, now)} is not sent to ${whom}.`
        : `The next one, of ${timeInZone(zone, first, now)}, is not sent to ${whom}, and neither is any after it.`;
  return `${coming}${onItsWay} What was sent already stays.`;
}

interface ComingRun {
  readonly at: string;
  /** A clock change since the run before, or at this one. */
  readonly note: string | null;
}

const HOUR_MS = 3_600_000;

/** The next runs with clock changes. `time` is the time of day that the rule names, if any. */
export function withClockChanges(
  next: readonly string[],
  zoneName: string,
  { now, time }: { readonly now: number; readonly time: string | null },
): ComingRun[] {
  const zone = findZone(zoneName);
  if (zone === null) return next.map((at) => ({ at, note: null }));
  const offsetAt = (instant: number) => zone.localAt(instant) - instant;
  return next.map((at, index) => {
    const before = index === 0 ? now : Date.parse(next[index - 1] ?? at);
    const instant = Date.parse(at);
    const shown = new Date(zone.localAt(instant)).toISOString().slice(11, 16);
    if (time !== null && shown !== time)
      return { at, note: `The clocks skip ${time} that day, so it leaves at ${shown}.` };
    const moved = offsetAt(instant) - offsetAt(before);
    if (moved === 0) return { at, note: null };
    const by =
      moved % HOUR_MS === 0
        ? plural(Math.abs(moved) / HOUR_MS, 'hour')
        : formatSpan(Math.abs(moved));
    const way = moved > 0 ? 'forward' : 'back';
    return { at, note: `The clocks go ${way} ${by} before this; it stays ${shown} there.` };
  });
}

// A time in a given time zone. Pure.

const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** `Mon 16 Nov, 09:00`, with the year if it is another. */
export function timeInZone(zone: string, at: string, now: number): string {
  const year = (when: string | number) =>
    new Date(when).toLocaleString('en-GB', { timeZone: zone, year: 'numeric' });
  return new Date(at).toLocaleString('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    ...(year(at) === year(now) ? {} : { year: 'numeric' }),
  });
}

/** The same time in the owner's time zone; null where it is the same. */
export function timeForYou(zone: string, at: string, now: number): string | null {
  const own = timeInZone(ownZone(), at, now);
  return own === timeInZone(zone, at, now) ? null : `${own} for you`;
}

/** Day and time separately, for the head of a row. */
export function dayAndTime(zone: string, at: string, now: number): { day: string; time: string } {
  const dateOf = (when: string | number) =>
    new Date(when).toLocaleDateString('en-GB', { timeZone: zone });
  const time = new Date(at).toLocaleTimeString('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
  });
  if (dateOf(at) === dateOf(now)) return { day: 'Today', time };
  if (dateOf(at) === dateOf(now + 86_400_000)) return { day: 'Tomorrow', time };
  return { day: timeInZone(zone, at, now).replace(/, \d\d:\d\d$/, ''), time };
}
