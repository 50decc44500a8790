// Computes when the next message may be sent, and how long a person would have typed it. Caps apply to every sliding
// window, not from midnight to midnight, so that two windows cannot add up.
import type { PacingSettings } from '@relay/contract/settings';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
export const PACING_DAY_MS = 24 * HOUR;

/** A message that was handed to the transport. */
export interface PacedSend {
  readonly at: Date;
  readonly firstContact: boolean;
}

type Moments = readonly Pick<PacedSend, 'at'>[];

/** The earliest time, from now on, at which one more message exceeds no cap. */
export function nextSendAt(history: Moments, pacing: PacingSettings, now: Date): Date {
  if (!pacing.enabled) return now;
  return latest([
    now,
    roomAt(history, pacing.per_minute, MINUTE),
    roomAt(history, pacing.per_hour, HOUR),
    roomAt(history, pacing.per_day, PACING_DAY_MS),
  ]);
}

/** The same for a first contact; null if the settings allow none. */
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

/** The earliest times for this many waiting first contacts, one after the other. */
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

/** When the window has room for one more; the epoch if it has room now. */
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
/** The random share of the typing time. */
const JITTER = 0.3;

/** `random` is a number in [0, 1) from the caller. */
export function typingMs(text: string, pacing: PacingSettings, random: number): number {
  if (!pacing.enabled) return 0;
  const { typing_min_ms: least, typing_max_ms: most } = pacing;
  const typed = (least + text.length * MS_PER_CHARACTER) * (1 + JITTER * (random * 2 - 1));
  return Math.round(Math.min(Math.max(typed, least), most));
}
