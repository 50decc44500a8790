// Decides what auto-reply does with a contact's message, and computes quiet hours. The caller loads the facts and
// carries out the decision; the gate decides whether an answer may be sent.

import type { QuietHours } from '@relay/contract/contacts/grant-options';
import type { AutoReplySettings } from '@relay/contract/settings';
import type { Grant } from '../contacts/grants.ts';
import {
  type Cooldown,
  type CooldownCause,
  cooldownAnswerReason,
  type ExchangeLine,
  findLoop,
  isCoolingDown,
  nextCooldown,
} from './loop-guard.ts';

/** Facts that can make an answer unnecessary; checked again when it is ready. */
export interface ReplyConditions {
  readonly grant: Grant | null;
  /** Whether an open conversation with the contact handles the message. */
  readonly conversation: boolean;
  /** Whether the owner wrote to the contact after the message. */
  readonly ownerWrote: boolean;
}

export interface AutoReplySituation extends ReplyConditions {
  readonly now: Date;
  /** When the message was written. */
  readonly writtenAt: Date;
  /** The owner wants to see a suggestion where the grant allows reading only. */
  readonly suggests: boolean;
  /** The contact's own quiet hours, if any. */
  readonly quietHours: QuietHours | null;
  /** The daemon's zone. */
  readonly zone: string;
  readonly cooldown: Cooldown | null;
  /** The newest lines of the session, ending with this one. */
  readonly lines: readonly ExchangeLine[];
  /** The times of the last day's answers. */
  readonly answers: readonly Date[];
}

type UnneededReason = 'grant_gone' | 'conversation' | 'owner_wrote';

/** Why no model is called: no answer is needed, or nobody would see it. */
type NoReplyReason = UnneededReason | 'read_only';

type AutoReplyDecision =
  | { readonly to: 'answer'; readonly late: boolean }
  | { readonly to: 'wait'; readonly until: Date }
  | { readonly to: 'skip'; readonly reason: NoReplyReason }
  | {
      readonly to: 'skip';
      readonly reason: ReturnType<typeof cooldownAnswerReason>;
      readonly until: Date;
    }
  | { readonly to: 'rest'; readonly rest: Cooldown };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export function whyUnneeded({
  grant,
  conversation,
  ownerWrote,
}: ReplyConditions): UnneededReason | null {
  if (grant === null || !grant.canRead) return 'grant_gone';
  if (conversation) return 'conversation';
  return ownerWrote ? 'owner_wrote' : null;
}

export function evaluateAutoReply(
  situation: AutoReplySituation,
  settings: AutoReplySettings,
): AutoReplyDecision {
  const { now, cooldown } = situation;
  const reason = whyUnneeded(situation);
  if (reason !== null) return { to: 'skip', reason };
  const sends = situation.grant?.canReply === true;
  if (!sends && !situation.suggests && !settings.compose_for_read_only) {
    return { to: 'skip', reason: 'read_only' };
  }
  if (isCoolingDown(cooldown, now))
    return { to: 'skip', reason: cooldownAnswerReason(cooldown), until: cooldown.until };
  const hours = situation.quietHours ?? settings.quiet_hours;
  const quietAt = (at: Date) => (hours === null ? null : quietUntil(hours, situation.zone, at));
  // Quiet hours do not matter for an answer that is not sent.
  const until = sends ? quietAt(now) : null;
  if (until !== null) return { to: 'wait', until };
  const cause = findLoop(situation.lines, now, settings) ?? capReached(situation, settings);
  if (cause !== null) {
    const atLeast = cause === 'day_cap' ? roomFrom(situation, settings) : now;
    return {
      to: 'rest',
      rest: nextCooldown(cooldown, { cause, now, atLeast }, settings.rest_minutes),
    };
  }
  // Waiting for the quiet hours to end does not make a message late.
  const due = quietAt(situation.writtenAt) ?? situation.writtenAt;
  const late = now.getTime() - due.getTime() > settings.late_after_hours * HOUR;
  return { to: 'answer', late: sends && late };
}

function capReached(
  { answers, now }: AutoReplySituation,
  { answers_per_hour, answers_per_day }: AutoReplySettings,
): CooldownCause | null {
  const within = (ms: number) => answers.filter((at) => now.getTime() - at.getTime() < ms).length;
  if (within(DAY) >= answers_per_day) return 'day_cap';
  return within(HOUR) >= answers_per_hour ? 'hour_cap' : null;
}

/** When enough of the day's answers are a day old to allow one more. */
function roomFrom(
  { answers, now }: AutoReplySituation,
  { answers_per_day }: AutoReplySettings,
): Date {
  const newestFirst = answers.toSorted((a, b) => b.getTime() - a.getTime());
  return new Date((newestFirst[answers_per_day - 1] ?? now).getTime() + DAY);
}

// Quiet hours: a period of each local day in which nobody is answered. They follow the local clock, so daylight saving
// time moves neither end.

const MINUTE = 60_000;
const DAY_MINUTES = 24 * 60;

/** The end of the current quiet hours; null if there are none now. Equal start and end mean no quiet hours. */
export function quietUntil(hours: QuietHours, ownZone: string, at: Date): Date | null {
  const { from, to, zone = ownZone } = hours;
  const ends = minutesOf(to);
  const isQuiet = (time: number): boolean =>
    since(minutesOf(from), wallClock(time, zone)) < since(minutesOf(from), ends);
  const began = Math.floor(at.getTime() / MINUTE) * MINUTE;
  if (!isQuiet(began)) return null;
  let end = began;
  // A clock that is set back in the meantime makes the wait longer.
  while (isQuiet(end)) end += since(wallClock(end, zone), ends) * MINUTE;
  return new Date(firstAfter(began, end, isQuiet));
}

/** A clock that is set forward ends it sooner: finds the first minute of `(quiet, loud]` that is not quiet. */
function firstAfter(quiet: number, loud: number, isQuiet: (time: number) => boolean): number {
  let [low, high] = [quiet / MINUTE, loud / MINUTE];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isQuiet(middle * MINUTE)) low = middle;
    else high = middle;
  }
  return high * MINUTE;
}

/** Minutes from one time of day to the next occurrence of another. */
const since = (from: number, to: number): number => (to - from + DAY_MINUTES) % DAY_MINUTES;

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function wallClock(time: number, zone: string): number {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  clocks.set(zone, clock);
  return minutesOf(clock.format(time));
}
