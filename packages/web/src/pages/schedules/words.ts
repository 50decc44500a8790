// Schedules in words: the page's sentence, what became of the last occurrence, what cancelling stops, and what the
// clocks do between two times. Pure.
import type { Schedule, ScheduleRun } from '@relay/core/api/schedules';
import { zoneNamed } from '@relay/core/schedule/zone';
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
import { counted, named, plural } from '../../parts/numbers.ts';
import { span } from '../../parts/times.ts';
import type { Hue } from '../../theme/hues.ts';
import { timeIn } from './times.ts';

/** `own` is the linked number in digits. */
export function recipientOf(
  { recipient, recipient_name: name }: Pick<Schedule, 'recipient' | 'recipient_name'>,
  own: string | null,
): string {
  if (own !== null && recipient === `+${own}`) return 'yourself';
  return name ?? (recipient === null ? 'somebody who is no longer known' : named(recipient));
}

export function schedulesSentence(coming: readonly Schedule[], hasMore: boolean, now: number) {
  const [first] = coming;
  const next = first?.next[0];
  if (next === undefined) return 'Nothing is scheduled.';
  const many = hasMore
    ? `More than ${coming.length} messages are`
    : counted(coming.length, 'message is', 'messages are');
  const wait = Date.parse(next) - now;
  return `${many} scheduled. The next leaves ${wait <= 0 ? 'now' : `in ${span(wait)}`}.`;
}

export interface ResultShown {
  readonly word: string;
  readonly hue: Hue;
  readonly icon: TablerIcon;
}

const LEFT: Readonly<Record<NonNullable<ScheduleRun['message_state']>, ResultShown>> = {
  pending: { word: 'On its way', hue: 'agent', icon: IconClock },
  sent: { word: 'Sent', hue: 'ok', icon: IconCheck },
  delivered: { word: 'Arrived', hue: 'ok', icon: IconChecks },
  read: { word: 'Read', hue: 'ok', icon: IconChecks },
  failed: { word: 'Not sent', hue: 'bad', icon: IconAlertTriangle },
  unknown: { word: 'Unsure', hue: 'held', icon: IconHelpCircle },
};

/** What became of an occurrence. What the owner was asked and has answered is where its message stands. */
export function resultShown({
  outcome,
  message_state: state,
  approval_id,
}: ScheduleRun): ResultShown {
  if (state !== null) return LEFT[state];
  switch (outcome) {
    case 'queued':
      return LEFT.pending;
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

/** Said beside the result, unless it went as it should. */
export function resultReason(run: ScheduleRun): string | null {
  if (run.message_state === 'failed' || run.message_state === 'unknown') return run.reason;
  if (run.message_state !== null || run.outcome === 'queued') return null;
  if (run.outcome === 'waiting' && run.approval_id === null)
    return 'It was asked about, and nobody said yes.';
  const many = run.count > 1 ? `${plural(run.count, 'time')}. ` : '';
  return `${many}${run.reason}`;
}

/** What is stopped, before somebody says so. */
export function cancelWords(schedule: Schedule, whom: string, now: number): string {
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
        ? `The message of ${timeIn(zone, first, now)} is not sent to ${whom}.`
        : `The next one, of ${timeIn(zone, first, now)}, is not sent to ${whom}, and neither is any after it.`;
  return `${coming}${onItsWay} What was sent already stays.`;
}

export interface Coming {
  readonly at: string;
  /** What the clocks did since the one before, or to this one. */
  readonly note: string | null;
}

const HOUR_MS = 3_600_000;

/** The next times, each with what the clocks do there. `time` is what the rule asks for, if it names one. */
export function withClockChanges(
  next: readonly string[],
  zoneName: string,
  { now, time }: { readonly now: number; readonly time: string | null },
): Coming[] {
  const zone = zoneNamed(zoneName);
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
      moved % HOUR_MS === 0 ? plural(Math.abs(moved) / HOUR_MS, 'hour') : span(Math.abs(moved));
    const way = moved > 0 ? 'forward' : 'back';
    return { at, note: `The clocks go ${way} ${by} before this; it stays ${shown} there.` };
  });
}
