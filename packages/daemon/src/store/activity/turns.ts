// Whose turn it was at the end of each bucket: how it is now, and back from there over the logged transitions. One
// statement, so that all of it is of one moment. By state alone: who held an approval when is not kept for ever.
import type { ActivityBucket } from '@relay/core/api/activity';
import type { InstanceState } from '@relay/core/conversation/states';
import { turnOf } from '@relay/core/conversation/turns';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';
import { bucketOf } from './bucket.ts';
import type { Window } from './window.ts';

type Turns = ActivityBucket['turns'];

/** How many conversations came into one state and out of another; either may be missing. */
interface Moved {
  /** Null: how it is now. */
  bucket: number | null;
  came: InstanceState | null;
  left: InstanceState | null;
  n: number;
  today: number;
}

export async function readTurns(db: Reader, window: Window) {
  const { account, from, midnight, ticks } = window;
  const { rows } = await sql<Moved>`
    SELECT NULL::integer AS bucket, state AS came, NULL AS "left", count(*) AS n, 0 AS today
      FROM instances WHERE account_id = ${account} GROUP BY state
    UNION ALL
    SELECT ${bucketOf('at', window)}, to_state, from_state, count(*), count(*) FILTER (WHERE at >= ${midnight})
      FROM instance_transitions WHERE account_id = ${account} AND at >= ${from} GROUP BY 1, 2, 3
    UNION ALL
    SELECT ${bucketOf('born.at', window)}, born.state, NULL, count(*), 0 FROM (
      SELECT i.created_at AS at, coalesce((SELECT t.from_state FROM instance_transitions t
        WHERE t.account_id = i.account_id AND t.instance_id = i.id ORDER BY t.id LIMIT 1), i.state) AS state
      FROM instances i WHERE i.account_id = ${account} AND i.created_at >= ${from}) born GROUP BY 1, 2`.execute(
    db,
  );
  const turns: Turns = { you: 0, agent: 0, them: 0, parked: 0 };
  const count = (state: InstanceState | null, n: number) => {
    const turn = state === null ? 'ended' : turnOf(state, false);
    if (turn !== 'ended') turns[turn] += n;
  };
  const then = new Map<number, Moved[]>();
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
