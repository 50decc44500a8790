// Checks that the digests of a past day are complete, each once and in time. The expectation is computed from the
// messages, never from what the daemon considered due.
import {
  type DayBoundary,
  dayContaining,
  hourContaining,
} from '@relay/core/observer/digest/periods';
import type { Group } from './group-posts.ts';
import type { MonthHarness } from './harness.ts';

/** A message may be delayed for a minute; then the next tick of the simulated clock finds the digest due. */
const IN_TIME_MS = 2 * 60_000;
export const DAILY_AT = '04:00';

export interface DayVerdict {
  readonly hourly: number;
  readonly daily: number;
  /** How long after the end of its period the last one was created, in seconds. */
  readonly latestSeconds: number;
  readonly faults: readonly string[];
}

/** For the group's day, from 04:00 to 04:00 in its time zone, that contains this moment. */
export async function judgeDay(harness: MonthHarness, group: Group, at: Date): Promise<DayVerdict> {
  const cut: DayBoundary = { zone: group.zone, dailyAt: DAILY_AT };
  const day = dayContaining(at, cut);
  const heard = await harness.query<{ sent_at: Date }>(
    `SELECT o.sent_at FROM relay.observed_messages o JOIN relay.chats c
       ON c.account_id = o.account_id AND c.id = o.chat_id
     WHERE c.group_address = $1 AND (NOT o.noise OR o.category = 'media_only')
       AND o.sent_at >= $2 AND o.sent_at < $3`,
    [group.address, day.start, day.end],
  );
  const made = await harness.query<Made>(
    `SELECT d.kind, d.period_start, d.period_end, d.created_at FROM relay.digests d JOIN relay.chats c
       ON c.account_id = d.account_id AND c.id = d.chat_id
     WHERE c.group_address = $1 AND d.period_start >= $2 AND d.period_start < $3`,
    [group.address, day.start, day.end],
  );
  const hours = new Set(heard.map(({ sent_at }) => hourContaining(sent_at, cut).start.getTime()));
  const hourly = made.filter(({ kind }) => kind === 'hourly');
  const daily = made.filter(({ kind }) => kind === 'daily');
  const where = `${group.zone.name} ${day.name}`;
  const late = made.filter((each) => lateness(each) > IN_TIME_MS || lateness(each) < 0);
  return {
    hourly: hourly.length,
    daily: daily.length,
    latestSeconds: Math.max(0, ...made.map(lateness)) / 1_000,
    faults: [
      ...missing(hours, hourly).map((hour) => `${where}: no digest of ${hour}`),
      ...hourly
        .filter(({ period_start }) => !hours.has(period_start.getTime()))
        .map(
          ({ period_start }) =>
            `${where}: a digest of ${period_start.toISOString()}, where nothing was said`,
        ),
      ...(new Set(hourly.map(({ period_start }) => +period_start)).size === hourly.length
        ? []
        : [`${where}: an hour was digested twice`]),
      ...(daily.length === (hours.size > 0 ? 1 : 0)
        ? []
        : [`${where}: ${daily.length} digests of the day`]),
      ...daily
        .filter(({ period_end }) => localClock(group, period_end) !== DAILY_AT)
        .map(({ period_end }) => `${where}: the day ended at ${localClock(group, period_end)}`),
      ...late.map(
        ({ kind, created_at }) => `${where}: ${kind} made at ${created_at.toISOString()}`,
      ),
    ],
  };
}

interface Made {
  readonly kind: 'hourly' | 'daily';
  readonly period_start: Date;
  readonly period_end: Date;
  readonly created_at: Date;
}

const lateness = ({ created_at, period_end }: Made): number =>
  created_at.getTime() - period_end.getTime();

const missing = (hours: ReadonlySet<number>, hourly: readonly Made[]): string[] =>
  [...hours]
    .filter((hour) => !hourly.some(({ period_start }) => period_start.getTime() === hour))
    .map((hour) => new Date(hour).toISOString());

const localClock = ({ zone }: Group, at: Date): string =>
  new Date(zone.localAt(at.getTime())).toISOString().slice(11, 16);
