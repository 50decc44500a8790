// What becomes of a schedule whose time has come, however late somebody looks: what happens now, what is
// left out, and when it is next due. One occurrence at a time, so that each can be written down with its
// effect; called again at once while the next one is due too. Pure.
import type { CatchUp } from './missed.ts';
import { nextAfter, occurrences } from './recur.ts';
import type { Rule } from './rule.ts';
import type { Zone } from './zone.ts';

/** Later than this an occurrence was missed: more than a restart takes, less than anybody would mind. */
export const ON_TIME_MS = 5 * 60_000;
/** So many that were missed are sent late; a chat is not flooded because a laptop was closed. */
export const MOST_LATE = 100;
/** So many are looked at together. */
const LOOK = 10_000;

export const SKIP_REASONS = {
  late: 'Relay was not there at the time, and this schedule leaves out what is missed.',
  superseded: 'Relay was not there at the time, and a later one was sent in its place.',
  replaced: 'It could not leave in time, and the next one took its place.',
  too_many: 'Relay was not there for so long that only the last 100 were sent late.',
} as const;
export type SkipReason = keyof typeof SKIP_REASONS;

export interface Skipped {
  readonly first: Date;
  readonly last: Date;
  readonly count: number;
  readonly reason: SkipReason;
}

export interface Plan {
  readonly happens: Date | null;
  readonly skipped: Skipped | null;
  /** Null when nothing is to come any more. May have passed already. */
  readonly next: Date | null;
}

export interface Due {
  readonly rule: Rule;
  readonly zone: Zone;
  readonly catchUp: CatchUp;
  /** The first occurrence of which nothing is decided yet. */
  readonly nextAt: Date;
  readonly now: Date;
}

export function planDue({ rule, zone, catchUp, nextAt, now }: Due): Plan {
  const due = occurrences(rule, zone, { from: nextAt, to: now, most: LOOK });
  const last = due.at(-1);
  if (last === undefined) return { happens: null, skipped: null, next: nextAt };
  const whole = due.length < LOOK;
  const happening = whole ? whichHappens(due, catchUp, now) : due.length;
  const happens = due[happening] ?? null;
  return {
    happens,
    skipped: skippedOf(due.slice(0, happening), catchUp, happens),
    next: nextAfter(rule, zone, happens ?? last),
  };
}

/** Its place among those that are due; all before it are left out. */
function whichHappens(due: readonly Date[], catchUp: CatchUp, now: Date): number {
  const newest = due.length - 1;
  switch (catchUp) {
    case 'all':
      return Math.max(0, due.length - MOST_LATE);
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
): Skipped | null {
  const [first, last] = [skipped[0], skipped.at(-1)];
  if (first === undefined || last === undefined) return null;
  const instead = happens === null ? 'late' : 'superseded';
  return { first, last, count: skipped.length, reason: catchUp === 'all' ? 'too_many' : instead };
}
