// How long people waited: from the first message that nobody had answered yet until what an agent said to it left.
// A follow-up answers nothing and is not counted; a draft is, with the time it waited for the owner's yes.
import { MARKS } from '@relay/core/messages/marks';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';
import { bucketOf } from './bucket.ts';
import type { Window } from './window.ts';

interface Answers {
  answers: number;
  answer_ms: number | null;
  slow_answer_ms: number | null;
}

export const NO_ANSWER: Answers = { answers: 0, answer_ms: null, slow_answer_ms: null };

interface Row extends Answers {
  /** Null: of all of them. */
  bucket: number | null;
  today: number;
}

/** WhatsApp says when by the second; what came at once is known closer. What came late was waited for all the while. */
const HEARD = sql`CASE WHEN m.late THEN m.sent_at ELSE m.received_at END`;

export async function readAnswers(db: Reader, window: Window) {
  const { account, from, midnight, now, ticks } = window;
  const marks = [...MARKS];
  const { rows } = await sql<Row>`
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
        CROSS JOIN LATERAL (SELECT ${HEARD} AS at FROM messages m
          WHERE m.account_id = ${account} AND m.chat_id = said.chat_id AND NOT m.from_me
            AND m.sent_at >= before.at - interval '5 s' AND m.sent_at <= said.at
            AND ${HEARD} > before.at AND ${HEARD} <= said.at AND m.kind <> ALL(${marks}::text[])
          ORDER BY m.sent_at, m.id LIMIT 1) asked
    )
    SELECT ${bucketOf('at', window)} AS bucket, count(*) AS answers,
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
