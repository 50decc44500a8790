// Counts what happened in the last hours or days, for the home page: one statement for each of the four figures, each
// over an index and limited to the requested period.
// Invariant: only stored rows are counted.

import type { Activity, ActivityBucket, ActivityReader } from '@relay/contract/api/activity';
import {
  type ActivityHours,
  TOKEN_SPENDERS,
  type TokenSpender,
} from '@relay/contract/api/constants';
import { type InstanceState, whoseTurnIn } from '@relay/contract/conversation/states';
import type { AccountId } from '@relay/contract/ids';
import { MARK_KINDS } from '@relay/core/messages/message';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

interface ActivityDeps {
  readonly db: Db;
  readonly account: AccountId;
  readonly zone: string;
  readonly tokensPerDay: number;
  now(): Date;
}

export const createActivityReader = (deps: ActivityDeps): ActivityReader => ({
  async read(hours) {
    const { db, zone, tokensPerDay } = deps;
    const window = await windowOf(deps, hours);
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

/** Days are in the owner's time zone and may be 23 or 25 hours long; an hour is always an hour. */
async function windowOf(
  { db, account, zone, now: clock }: ActivityDeps,
  hours: ActivityHours,
): Promise<ActivityWindow> {
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

// Received and sent messages. Received: messages of others, without reactions and the like. Sent: messages sent by
// Relay, without its notices to the owner; what the owner typed on a phone counts as neither.

interface TrafficRow {
  bucket: number;
  n: number;
  today: number;
}

async function readTraffic(db: Db, window: ActivityWindow) {
  const { account, from, midnight, now, ticks } = window;
  const [received, sent] = await Promise.all([
    sql<TrafficRow>`
      SELECT ${bucketSql('sent_at', window)} AS bucket, count(*) AS n,
        count(*) FILTER (WHERE sent_at >= ${midnight}) AS today
      FROM messages WHERE account_id = ${account} AND sent_at >= ${from} AND sent_at <= ${now}
        AND NOT from_me AND kind <> ALL(${[...MARK_KINDS]}::text[])
      GROUP BY 1`.execute(db),
    sql<TrafficRow>`
      SELECT ${bucketSql('attempted_at', window)} AS bucket, count(*) AS n,
        count(*) FILTER (WHERE attempted_at >= ${midnight}) AS today
      FROM outbox o JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id AND p.actor <> 'notifier'
      WHERE o.account_id = ${account} AND attempted_at >= ${from} AND attempted_at <= ${now}
        AND state IN ('sent', 'delivered', 'read')
      GROUP BY 1`.execute(db),
  ]);
  const today = (rows: readonly TrafficRow[]) => rows.reduce((sum, row) => sum + row.today, 0);
  return {
    received: countsByBucket(ticks, received.rows),
    sent: countsByBucket(ticks, sent.rows),
    today: { received: today(received.rows), sent: today(sent.rows) },
  };
}

// Response times: from the first unanswered message until an agent's reply was sent. A follow-up answers nothing and is
// not counted; a draft is counted, including the time it waited for the owner's approval.

interface Answers {
  answers: number;
  answer_ms: number | null;
  slow_answer_ms: number | null;
}

const NO_ANSWER: Answers = { answers: 0, answer_ms: null, slow_answer_ms: null };

interface AnswersRow extends Answers {
  /** Null: the total of all buckets. */
  bucket: number | null;
  today: number;
}

/**
 * WhatsApp's times are in whole seconds, so for a message delivered at once the time of receipt is more exact. For one
 * delivered late the wait began when it was sent.
 */
const HEARD_AT_SQL = sql`CASE WHEN m.late THEN m.sent_at ELSE m.received_at END`;

async function readAnswers(db: Db, window: ActivityWindow) {
  const { account, from, midnight, now, ticks } = window;
  const marks = [...MARK_KINDS];
  const { rows } = await sql<AnswersRow>`
    WITH said AS MATERIALIZED (
      SELECT o.chat_id, o.seq, o.attempted_at AS at, o.message_id
      FROM outbox o
        JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
        JOIN chats c ON c.account_id = o.account_id AND c.id = o.chat_id AND c.kind = 'direct'
      WHERE o.account_id = ${account} AND o.attempted_at >= ${from} AND o.attempted_at <= ${now}
        AND o.state IN ('sent', 'delivered', 'read')
        AND split_part(p.actor, ':', 1) IN ('conversation', 'auto_reply')
    ), waited AS (
      SELECT said.at, extract(epoch FROM said.at - asked.at) * 1000 AS ms
      FROM said
        CROSS JOIN LATERAL (SELECT greatest('-infinity'::timestamptz,
          (SELECT o.attempted_at FROM outbox o WHERE o.account_id = ${account} AND o.chat_id = said.chat_id
            AND o.seq < said.seq AND o.attempted_at IS NOT NULL ORDER BY o.seq DESC LIMIT 1),
          (SELECT m.sent_at FROM messages m WHERE m.account_id = ${account} AND m.chat_id = said.chat_id
            AND m.sent_at < said.at AND m.from_me AND m.message_id <> said.message_id
            AND m.kind <> ALL(${marks}::text[]) ORDER BY m.sent_at DESC, m.id DESC LIMIT 1)) AS at) before
        CROSS JOIN LATERAL (SELECT ${HEARD_AT_SQL} AS at FROM messages m
          WHERE m.account_id = ${account} AND m.chat_id = said.chat_id AND NOT m.from_me
            AND m.sent_at >= before.at - interval '5 s' AND m.sent_at <= said.at
            AND ${HEARD_AT_SQL} > before.at AND ${HEARD_AT_SQL} <= said.at AND m.kind <> ALL(${marks}::text[])
          ORDER BY m.sent_at, m.id LIMIT 1) asked
    )
    SELECT ${bucketSql('at', window)} AS bucket, count(*) AS answers,
      round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms))::float8 AS answer_ms,
      round(percentile_cont(0.95) WITHIN GROUP (ORDER BY ms))::float8 AS slow_answer_ms,
      count(*) FILTER (WHERE at >= ${midnight}) AS today
    FROM waited WHERE at >= ${ticks[0]} OR at >= ${midnight}
    GROUP BY GROUPING SETS ((1), ())`.execute(db);
  const all = rows.find(({ bucket }) => bucket === null);
  const buckets = new Map<number, Answers>();
  for (const { bucket, today: _, ...answers } of rows) {
    if (bucket !== null && bucket >= 0) buckets.set(bucket, answers);
  }
  const { today, bucket: _, ...total } = all ?? { bucket: null, today: 0, ...NO_ANSWER };
  return { buckets, total, today };
}

// Model tokens, by feature. A run that failed or was discarded counts too, because it was paid for. Relay does not know
// the price of a token, so no cost is shown.

type Tokens = Record<TokenSpender, number>;

/** The feature of the run's session; an answer in a group counts for the group, although the assistant wrote it. */
const SPENDER = sql<TokenSpender>`CASE
  WHEN r.instance_id IS NOT NULL THEN 'conversations'
  WHEN s.kind = 'observer' THEN 'groups'
  WHEN s.kind = 'auto_reply' THEN 'auto_reply'
  WHEN s.kind = 'assistant' OR split_part(r.actor, ':', 1) = 'assistant' THEN 'assistant'
  ELSE 'other' END`;

const noTokens = (): Tokens =>
  Object.fromEntries(TOKEN_SPENDERS.map((spender) => [spender, 0])) as Tokens;

async function readTokens(db: Db, window: ActivityWindow) {
  const { account, from, midnight, now, ticks } = window;
  const { rows } = await sql<{ bucket: number; spender: TokenSpender; n: number; today: number }>`
    SELECT ${bucketSql('r.started_at', window)} AS bucket, ${SPENDER} AS spender,
      sum(r.input_tokens::bigint + r.output_tokens)::float8 AS n,
      coalesce(sum(r.input_tokens::bigint + r.output_tokens)
        FILTER (WHERE r.started_at >= ${midnight}), 0)::float8 AS today
    FROM runs r LEFT JOIN sessions s ON s.account_id = r.account_id AND s.id = r.session_id
    WHERE r.account_id = ${account} AND r.started_at >= ${from} AND r.started_at <= ${now}
    GROUP BY 1, 2`.execute(db);
  const buckets = ticks.map(noTokens);
  const total = noTokens();
  let today = 0;
  for (const row of rows) {
    const bucket = buckets[row.bucket];
    today += row.today;
    if (bucket === undefined) continue;
    bucket[row.spender] += row.n;
    total[row.spender] += row.n;
  }
  return { buckets, total, today };
}

// Whose turn it was at the end of each bucket: the current states, minus the logged transitions. One statement, so that
// all of it is from one moment. By state only, because it is not stored forever who held an approval when.

type Turns = ActivityBucket['turns'];

/** How many conversations entered one state and left another; either may be missing. */
interface StateMoves {
  /** Null: the current states. */
  bucket: number | null;
  came: InstanceState | null;
  left: InstanceState | null;
  n: number;
  today: number;
}

async function readTurns(db: Db, window: ActivityWindow) {
  const { account, from, midnight, ticks } = window;
  const { rows } = await sql<StateMoves>`
    SELECT NULL::integer AS bucket, state AS came, NULL AS "left", count(*) AS n, 0 AS today
      FROM instances WHERE account_id = ${account} GROUP BY state
    UNION ALL
    SELECT ${bucketSql('at', window)}, to_state, from_state, count(*), count(*) FILTER (WHERE at >= ${midnight})
      FROM instance_transitions WHERE account_id = ${account} AND at >= ${from} GROUP BY 1, 2, 3
    UNION ALL
    SELECT ${bucketSql('born.at', window)}, born.state, NULL, count(*), 0 FROM (
      SELECT i.created_at AS at, coalesce((SELECT t.from_state FROM instance_transitions t
        WHERE t.account_id = i.account_id AND t.instance_id = i.id ORDER BY t.id LIMIT 1), i.state) AS state
      FROM instances i WHERE i.account_id = ${account} AND i.created_at >= ${from}) born GROUP BY 1, 2`.execute(
    db,
  );
  const turns: Turns = { you: 0, agent: 0, them: 0, parked: 0 };
  const count = (state: InstanceState | null, n: number) => {
    const turn = state === null ? 'ended' : whoseTurnIn(state, false);
    if (turn !== 'ended') turns[turn] += n;
  };
  const then = new Map<number, StateMoves[]>();
  for (const row of rows) {
    if (row.bucket === null) count(row.came, row.n);
    else then.set(row.bucket, [...(then.get(row.bucket) ?? []), row]);
  }
  const buckets: Turns[] = [];
  for (let n = ticks.length - 1; n >= 0; n -= 1) {
    buckets.unshift({ ...turns });
    for (const { came, left, n: many } of then.get(n) ?? []) {
      count(came, -many);
      count(left, many);
    }
  }
  const completed = rows.filter(({ came, left }) => came === 'COMPLETED' && left !== null);
  return { buckets, completedToday: completed.reduce((sum, { today }) => sum + today, 0) };
}

// The bucket of a time in SQL, and counts per bucket as a list.

/** From 0; -1 is before the first bucket. */
const bucketSql = (column: string, { ticks }: Pick<ActivityWindow, 'ticks'>): RawBuilder<number> =>
  sql<number>`width_bucket(${sql.ref(column)}, ${[...ticks]}::timestamptz[]) - 1`;

const countsByBucket = (
  ticks: readonly Date[],
  rows: readonly { readonly bucket: number; readonly n: number }[],
): number[] => {
  const counts = ticks.map(() => 0);
  for (const { bucket, n } of rows)
    if (bucket in counts) counts[bucket] = (counts[bucket] ?? 0) + n;
  return counts;
};

// The requested period, divided into buckets.

interface ActivityWindow {
  readonly account: AccountId;
  /** The start of each bucket. */
  readonly ticks: readonly Date[];
  /** The start of the owner's current day. */
  readonly midnight: Date;
  /** The earlier of the first tick and midnight. */
  readonly from: Date;
  readonly now: Date;
}
