// What there is to digest in a group right now: the rows are read here, core decides.
import { type Due, dueDigests, isSame } from '@relay/core/observer/digest/due';
import { type Cut, dayOf } from '@relay/core/observer/digest/periods';
import { zoneNamed } from '@relay/core/schedule/zone';
import {
  type DigestFailure,
  findDigests,
  findFailures,
  heardSince,
} from '../../../store/observer/digests.ts';
import type { ObservedGroup } from '../../../store/observer/groups.ts';
import type { DigestWorld } from './world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** What comes late or is taken back within this time is made up for. */
const LOOKS_BACK = 48 * HOUR;
/** A model that gave no digest so often will not give one for the same messages. */
const MOST_TRIES = 3;

export function cutOf({ settings }: Pick<DigestWorld, 'settings'>, group: ObservedGroup): Cut {
  const zone = zoneNamed(group.zone);
  if (zone === null) throw new Error('an observed group without a zone');
  return { zone, dailyAt: settings.observer.daily_at };
}

export interface DuePeriod extends Due {
  /** How often a model gave none for what is in it now. */
  readonly tries: number;
}

/** Oldest first; those that a model failed at too often are left out. */
export async function lookForDue(
  world: DigestWorld,
  group: ObservedGroup,
): Promise<readonly DuePeriod[]> {
  const { db, lease } = world;
  const cut = cutOf(world, group);
  const now = world.now();
  const { chat, since } = group;
  const from = await looksFrom(world, group, cut, now);
  const [heard, made, failures] = await Promise.all([
    heardSince(db, lease.account, chat, from),
    findDigests(db, lease.account, { chat, from }),
    findFailures(db, lease.account, { chat, from }),
  ]);
  return dueDigests({ heard, made, from, since, now, cut })
    .map((due) => ({ ...due, tries: triesOf(due, failures) }))
    .filter(({ tries }) => tries < MOST_TRIES);
}

function triesOf(due: Due, failures: readonly DigestFailure[]): number {
  const failed = failures.find(
    ({ kind, start }) => kind === due.kind && start.getTime() === due.start.getTime(),
  );
  return failed !== undefined && isSame(due, failed) ? failed.tries : 0;
}

/** From the last day that has its digest, and not further than messages are kept. */
async function looksFrom(
  { db, lease, settings }: DigestWorld,
  { chat, since }: ObservedGroup,
  cut: Cut,
  now: Date,
): Promise<Date> {
  const days = await findDigests(db, lease.account, { chat, kind: 'daily' });
  const digested = days.at(-1)?.end ?? since;
  const back = Math.min(now.getTime() - LOOKS_BACK, digested.getTime());
  const kept = now.getTime() - settings.retention.observed_messages_days * DAY;
  const { start } = dayOf(new Date(back), cut);
  if (start.getTime() >= kept) return start;
  // Of a day whose messages have begun to go, nothing is made anew.
  return dayOf(new Date(kept), cut).end;
}
