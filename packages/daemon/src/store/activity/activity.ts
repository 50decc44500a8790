// What happened over the last hours or days, for Home: one statement for each of the four things counted, each over an
// index and none longer than the time that is asked for. Invariant: nothing is counted that is not stored as a row.
import type { ActivityHours } from '@relay/core/activity';
import type { Activity, ActivityBucket } from '@relay/core/api/activity';
import type { AccountId } from '@relay/core/ids';
import type { ActivityReader } from '@relay/core/ports/activity';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';
import { NO_ANSWER, readAnswers } from './answers.ts';
import { noTokens, readTokens } from './tokens.ts';
import { readTraffic } from './traffic.ts';
import { readTurns } from './turns.ts';
import type { Window } from './window.ts';

export interface ActivityWorld {
  readonly db: Reader;
  readonly account: AccountId;
  readonly zone: string;
  readonly tokensPerDay: number;
  now(): Date;
}

export const activityReader = (world: ActivityWorld): ActivityReader => ({
  async read(hours) {
    const { db, zone, tokensPerDay } = world;
    const window = await windowOf(world, hours);
    const [traffic, answers, tokens, turns] = await Promise.all([
      readTraffic(db, window),
      readAnswers(db, window),
      readTokens(db, window),
      readTurns(db, window),
    ]);
    const { ticks, midnight, now } = window;
    const buckets = ticks.map(
      (at, n): ActivityBucket => ({
        at: at.toISOString(),
        received: traffic.received[n] ?? 0,
        sent: traffic.sent[n] ?? 0,
        ...(answers.buckets.get(n) ?? NO_ANSWER),
        tokens: tokens.buckets[n] ?? noTokens(),
        turns: turns.buckets[n] ?? { you: 0, agent: 0, them: 0, parked: 0 },
      }),
    );
    return {
      hours,
      unit: unitOf(hours),
      zone,
      until: now.toISOString(),
      buckets,
      total: {
        received: sum(traffic.received),
        sent: sum(traffic.sent),
        ...answers.total,
        tokens: tokens.total,
      },
      today: {
        since: midnight.toISOString(),
        ...traffic.today,
        answers: answers.today,
        tokens: tokens.today,
        tokens_per_day: tokensPerDay,
        completed: turns.completedToday,
      },
    } satisfies Activity;
  },
});

const unitOf = (hours: ActivityHours): 'hour' | 'day' => (hours === 24 ? 'hour' : 'day');
const sum = (counts: readonly number[]): number => counts.reduce((all, n) => all + n, 0);

/** Days are the owner's, as long as they are where clocks change; an hour is an hour. */
async function windowOf(
  { db, account, zone, now: clock }: ActivityWorld,
  hours: ActivityHours,
): Promise<Window> {
  const now = clock();
  const { rows } = await sql<{ ticks: Date[]; midnight: Date }>`
    SELECT date_trunc('day', ${now}::timestamptz, ${zone}) AS midnight, CASE
      WHEN ${unitOf(hours)} = 'hour' THEN ARRAY(
        SELECT date_trunc('hour', ${now}::timestamptz, ${zone}) - n * interval '1 hour'
        FROM generate_series(23, 0, -1) n)
      ELSE ARRAY(
        SELECT (date_trunc('day', ${now}::timestamptz AT TIME ZONE ${zone}) - n * interval '1 day') AT TIME ZONE ${zone}
        FROM generate_series(${hours / 24 - 1}::integer, 0, -1) n)
    END AS ticks`.execute(db);
  const row = rows[0];
  const first = row?.ticks[0];
  if (row === undefined || first === undefined) throw new Error('there is no time');
  const from = new Date(Math.min(first.getTime(), row.midnight.getTime()));
  return { account, now, ...row, from };
}
