// When the next message may leave, and how long somebody would have typed it. Caps hold in every
// window of their length, not from midnight to midnight, so that no two windows add up at their seam.
import type { PacingSettings } from '@relay/contract/settings';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
export const PACING_DAY_MS = 24 * HOUR;

/** One message that was handed to the wire. */
export interface PacedSend {
  readonly at: Date;
  readonly firstContact: boolean;
}

type Moments = readonly Pick<PacedSend, 'at'>[];

/** The first moment, from now on, at which one more message breaks no cap. */
export function nextSendAt(history: Moments, pacing: PacingSettings, now: Date): Date {
  if (!pacing.enabled) return now;
  return latest([
    now,
    roomAt(history, pacing.per_minute, MINUTE),
    roomAt(history, pacing.per_hour, HOUR),
    roomAt(history, pacing.per_day, PACING_DAY_MS),
  ]);
}

/** The same for a first contact; null while the settings allow none at all. */
export function nextFirstContactAt(
  history: readonly PacedSend[],
  pacing: PacingSettings,
  now: Date,
): Date | null {
  if (!pacing.enabled) return now;
  if (pacing.first_contacts_per_day === 0) return null;
  const opened = history.filter((sending) => sending.firstContact);
  return latest([
    nextSendAt(history, pacing, now),
    roomAt(opened, pacing.first_contacts_per_day, PACING_DAY_MS),
  ]);
}

/** When each of so many waiting first contacts may leave at the earliest, one after the other. */
export function firstContactTimes(
  history: readonly PacedSend[],
  pacing: PacingSettings,
  now: Date,
  count: number,
): readonly Date[] {
  const sendings = [...history];
  const times: Date[] = [];
  while (times.length < count) {
    const at = nextFirstContactAt(sendings, pacing, now);
    if (at === null) break;
    times.push(at);
    sendings.push({ at, firstContact: true });
  }
  return times;
}

/** When the window has let go of enough to hold one more; the beginning of time if it has room now. */
function roomAt(history: Moments, cap: number, windowMs: number): Date {
  const oldestInTheWay = history
    .map(({ at }) => at.getTime())
    .sort((a, b) => b - a)
    .at(cap - 1);
  return new Date(oldestInTheWay === undefined ? 0 : oldestInTheWay + windowMs);
}

const latest = (dates: readonly Date[]): Date =>
  new Date(Math.max(...dates.map((date) => date.getTime())));

const MS_PER_CHARACTER = 45;
/** The share of the typing time that is chance. */
const JITTER = 0.3;

/** `random` is a number in [0, 1) that the caller brings. */
export function typingMs(text: string, pacing: PacingSettings, random: number): number {
  if (!pacing.enabled) return 0;
  const { typing_min_ms: least, typing_max_ms: most } = pacing;
  const typed = (least + text.length * MS_PER_CHARACTER) * (1 + JITTER * (random * 2 - 1));
  return Math.round(Math.min(Math.max(typed, least), most));
}
