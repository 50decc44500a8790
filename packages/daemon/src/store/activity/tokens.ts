// What models used, by whose work it was. A run that failed or was discarded counts too: it was paid for. What a token
// costs is not known to Relay, so nothing is said of money.
import { SPENDERS, type Spender } from '@relay/core/activity';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';
import { bucketOf } from './bucket.ts';
import type { Window } from './window.ts';

type Tokens = Record<Spender, number>;

/** Whose session it was; an answer in a group is the group's, though the assistant composed it. */
const SPENDER = sql<Spender>`CASE
  WHEN r.instance_id IS NOT NULL THEN 'conversations'
  WHEN s.kind = 'observer' THEN 'groups'
  WHEN s.kind = 'auto_reply' THEN 'auto_reply'
  WHEN s.kind = 'assistant' OR split_part(r.actor, ':', 1) = 'assistant' THEN 'assistant'
  ELSE 'other' END`;

export const noTokens = (): Tokens =>
  Object.fromEntries(SPENDERS.map((spender) => [spender, 0])) as Tokens;

export async function readTokens(db: Reader, window: Window) {
  const { account, from, midnight, now, ticks } = window;
  const { rows } = await sql<{ bucket: number; spender: Spender; n: number; today: number }>`
    SELECT ${bucketOf('r.started_at', window)} AS bucket, ${SPENDER} AS spender,
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
