// The messages that share words with a question, within what the asker may read: a few hundred of the best,
// with what ranking needs to know of them. How often a word occurs is counted within the same bounds, so
// that the order says nothing about chats that may not be read.
import type { AccountId, ChatId, ContactId } from '@relay/core/ids';
import type { Question } from '@relay/core/search/query';
import type { Candidate, Frequencies } from '@relay/core/search/rank';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../store/database.ts';
import { readableChats, type SearchScope } from './scope.ts';
import { toPhrase, toQuery } from './vector.ts';

export interface Where {
  readonly from?: Date;
  readonly to?: Date;
  readonly chat?: ChatId;
  readonly contact?: ContactId | 'me';
}

interface Place {
  readonly db: Reader;
  readonly account: AccountId;
  readonly admins: readonly string[];
}

export interface Found {
  readonly candidates: readonly Candidate<number>[];
  readonly frequencies: Frequencies;
}

const MOST = 300;

export async function findCandidates(
  { db, account, admins }: Place,
  scope: SearchScope,
  { terms, phrases }: Question,
  where: Where,
): Promise<Found> {
  const { rows } = await sql<{
    id: number;
    at: Date;
    length: number;
    has: number[];
    documents: number;
    frequencies: Record<string, number>;
  }>`
    WITH readable AS MATERIALIZED (${readableChats(account, scope, admins)}),
    words AS (
      SELECT query::tsquery AS query, (n - 1)::int AS n
      FROM unnest(${terms.map(toQuery)}::text[]) WITH ORDINALITY AS w(query, n)
    ), matching AS MATERIALIZED (
      SELECT d.id, d.at, d.length, w.n FROM words w
        JOIN search_documents d ON d.terms @@ w.query
      WHERE d.account_id = ${account} AND d.chat_id IN (SELECT id FROM readable) AND ${narrowed(phrases, where)}
    ), counts AS MATERIALIZED (
      SELECT n, count(*) AS times FROM matching GROUP BY n
    ), progress AS MATERIALIZED (
      SELECT greatest(documents, 1) AS documents FROM search_progress WHERE account_id = ${account}
    )
    SELECT m.id, m.at, m.length, array_agg(m.n) AS has, p.documents,
      (SELECT json_object_agg(n, times) FROM counts) AS frequencies
    FROM matching m JOIN counts c USING (n) CROSS JOIN progress p
    GROUP BY m.id, m.at, m.length, p.documents
    ORDER BY sum(ln(1 + p.documents / c.times::float8)) / (1 + m.length / 10.0) DESC, m.at DESC
    LIMIT ${MOST}`.execute(db);
  return {
    candidates: rows.map(({ id, at, length, has }) => ({ id, at, length, has })),
    frequencies: {
      documents: rows[0]?.documents ?? 0,
      of: terms.map((_, n) => rows[0]?.frequencies[n] ?? 0),
    },
  };
}

function narrowed(
  phrases: Question['phrases'],
  { from, to, chat, contact }: Where,
): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = phrases.map(
    (phrase) => sql`d.terms @@ ${toPhrase(phrase)}::tsquery`,
  );
  if (from !== undefined) conditions.push(sql`d.at >= ${from}`);
  if (to !== undefined) conditions.push(sql`d.at < ${to}`);
  if (chat !== undefined) conditions.push(sql`d.chat_id = ${chat}`);
  if (contact === 'me') conditions.push(sql`d.contact_id IS NULL`);
  else if (contact !== undefined) conditions.push(sql`d.contact_id = ${contact}`);
  return sql.join([sql`true`, ...conditions], sql` AND `);
}
