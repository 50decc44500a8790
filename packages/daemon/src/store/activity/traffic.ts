// Messages in and out. In: what others wrote, without reactions and the like. Out: what left through Relay; what the
// owner typed on a phone is neither.
import { MARKS } from '@relay/core/messages/marks';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';
import { asCounts, bucketOf } from './bucket.ts';
import type { Window } from './window.ts';

interface Row {
  bucket: number;
  n: number;
  today: number;
}

export async function readTraffic(db: Reader, window: Window) {
  const { account, from, midnight, now, ticks } = window;
  const [received, sent] = await Promise.all([
    sql<Row>`
      SELECT ${bucketOf('sent_at', window)} AS bucket, count(*) AS n,
        count(*) FILTER (WHERE sent_at >= ${midnight}) AS today
      FROM messages WHERE account_id = ${account} AND sent_at >= ${from} AND sent_at <= ${now}
        AND NOT from_me AND kind <> ALL(${[...MARKS]}::text[])
      GROUP BY 1`.execute(db),
    sql<Row>`
      SELECT ${bucketOf('attempted_at', window)} AS bucket, count(*) AS n,
        count(*) FILTER (WHERE attempted_at >= ${midnight}) AS today
      FROM outbox WHERE account_id = ${account} AND attempted_at >= ${from} AND attempted_at <= ${now}
        AND state IN ('sent', 'delivered', 'read')
      GROUP BY 1`.execute(db),
  ]);
  const today = (rows: readonly Row[]) => rows.reduce((sum, row) => sum + row.today, 0);
  return {
    received: asCounts(ticks, received.rows),
    sent: asCounts(ticks, sent.rows),
    today: { received: today(received.rows), sent: today(sent.rows) },
  };
}
