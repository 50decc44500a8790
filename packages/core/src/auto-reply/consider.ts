// What is to become of a contact's line whose turn has come. Pure: the flow reads the situation, asks here,
// and carries the verdict out. Whether an answer may leave is for the gate to say.
import type { Grant } from '../contacts/grants.ts';
import type { QuietHours } from '../contacts/options.ts';
import type { AutoReplySettings } from '../settings.ts';
import { loopIn, type Said } from './loop.ts';
import { quietUntil } from './quiet.ts';
import { answerOf, isResting, nextRest, type Rest, type RestCause } from './rest.ts';

/** What may make an answer needless; looked at again when it is ready. */
export interface Standing {
  readonly grant: Grant | null;
  /** A conversation with the contact is open and has the say. */
  readonly conversation: boolean;
  /** The owner wrote to the contact after the line was written. */
  readonly ownerWrote: boolean;
}

export interface Situation extends Standing {
  readonly now: Date;
  /** When the line was written. */
  readonly writtenAt: Date;
  /** The contact's own quiet hours, if they have any. */
  readonly quietHours: QuietHours | null;
  /** The daemon's own. */
  readonly zone: string;
  readonly rest: Rest | null;
  /** The newest lines of the session, this one last. */
  readonly lines: readonly Said[];
  /** When the answers of the last day were given. */
  readonly answers: readonly Date[];
}

export type Needless = 'grant_gone' | 'conversation' | 'owner_wrote';

/** Why no model is asked: nobody needs an answer, or nobody would see it. */
export type Unasked = Needless | 'read_only';

export type Verdict =
  | { readonly to: 'answer'; readonly late: boolean }
  | { readonly to: 'wait'; readonly until: Date }
  | { readonly to: 'skip'; readonly reason: Unasked }
  | { readonly to: 'skip'; readonly reason: ReturnType<typeof answerOf>; readonly until: Date }
  | { readonly to: 'rest'; readonly rest: Rest };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export function needless({ grant, conversation, ownerWrote }: Standing): Needless | null {
  if (grant === null || !grant.canRead) return 'grant_gone';
  if (conversation) return 'conversation';
  return ownerWrote ? 'owner_wrote' : null;
}

export function consider(situation: Situation, settings: AutoReplySettings): Verdict {
  const { now, rest } = situation;
  const reason = needless(situation);
  if (reason !== null) return { to: 'skip', reason };
  const sends = situation.grant?.canReply === true;
  if (!sends && !settings.compose_for_read_only) return { to: 'skip', reason: 'read_only' };
  if (isResting(rest, now)) return { to: 'skip', reason: answerOf(rest), until: rest.until };
  const hours = situation.quietHours ?? settings.quiet_hours;
  const quietAt = (at: Date) => (hours === null ? null : quietUntil(hours, situation.zone, at));
  // What is not sent disturbs nobody.
  const until = sends ? quietAt(now) : null;
  if (until !== null) return { to: 'wait', until };
  const cause = loopIn(situation.lines, now, settings) ?? capReached(situation, settings);
  if (cause !== null) {
    const atLeast = cause === 'day_cap' ? roomFrom(situation, settings) : now;
    return { to: 'rest', rest: nextRest(rest, { cause, now, atLeast }, settings.rest_minutes) };
  }
  // What waited for the quiet hours to end was not late by its own fault.
  const due = quietAt(situation.writtenAt) ?? situation.writtenAt;
  const late = now.getTime() - due.getTime() > settings.late_after_hours * HOUR;
  return { to: 'answer', late: sends && late };
}

function capReached(
  { answers, now }: Situation,
  { answers_per_hour, answers_per_day }: AutoReplySettings,
): RestCause | null {
  const within = (ms: number) => answers.filter((at) => now.getTime() - at.getTime() < ms).length;
  if (within(DAY) >= answers_per_day) return 'day_cap';
  return within(HOUR) >= answers_per_hour ? 'hour_cap' : null;
}

/** When so many of the day's answers are a day old that there is room for one more. */
function roomFrom({ answers, now }: Situation, { answers_per_day }: AutoReplySettings): Date {
  const newestFirst = answers.toSorted((a, b) => b.getTime() - a.getTime());
  return new Date((newestFirst[answers_per_day - 1] ?? now).getTime() + DAY);
}
