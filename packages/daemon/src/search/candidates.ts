// The messages that share words with a question, within what the asker may read: a few hundred of the best,
// and those nearest in meaning, with what ranking needs to know of them. How often a word occurs is counted within the same bounds, so
// that the order says nothing about chats that may not be read.
import type { AccountId, ChatId, ContactId } from '@relay/core/ids';
import { meaningOf, repetition } from '@relay/core/search/meaning';
import type { Question } from '@relay/core/search/query';
import type { AskedWord, Candidate } from '@relay/core/search/rank';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../store/database.ts';
import { readableChats, type SearchScope } from './scope.ts';
import { toAlike, toPhrase, toQuery } from './vector.ts';
import type { Nearness } from './vectors/open.ts';

/** Those a question names. */
export interface Named {
  readonly contacts: readonly ContactId[];
  readonly chats: readonly ChatId[];
  /** The words that name them. */
  readonly words: ReadonlySet<string>;
}

export interface Where {
  readonly from?: Date;
  readonly to?: Date;
  readonly chat?: ChatId;
  readonly contact?: ContactId | 'me';
}

export interface Place {
  readonly db: Reader;
  readonly account: AccountId;
  readonly admins: readonly string[];
}

export interface Found {
  readonly candidates: readonly Candidate<number>[];
  readonly words: readonly AskedWord[];
  readonly documents: number;
}

type Bare = Pick<Candidate<number>, 'id' | 'has' | 'near' | 'named' | 'digest'> & {
  readonly at: number;
};

/** All of it in one value: hundreds of rows would take longer to take apart than to find. */
interface Row {
  readonly documents: number | null;
  readonly counts: Readonly<Record<string, Pick<AskedWord, 'exactly' | 'alike'>>> | null;
  readonly best: readonly Bare[] | null;
  readonly nearest: readonly (Bare & { readonly words: readonly string[] })[] | null;
}

const MOST = 200;

export async function findCandidates(
  { db, account, admins }: Place,
  scope: SearchScope,
  { terms, phrases }: Question,
  named: Named,
  where: Where,
  { near, chance }: Nearness,
): Promise<Found> {
  const { rows } = await sql<Row>`
    WITH readable AS MATERIALIZED (${readableChats(account, scope, admins)}),
    words AS (
      SELECT exact::tsquery AS exact, alike::tsquery AS alike, (n - 1)::int AS n
      FROM unnest(${terms.map(toQuery)}::text[], ${terms.map(toAlike)}::text[])
        WITH ORDINALITY AS w(exact, alike, n)
    ), matching AS MATERIALIZED (
      SELECT d.id, d.at, d.source_kind = 'digest' AS digest, w.n, d.terms @@ w.exact AS exact, ${isNamed(named)} AS named
      FROM words w JOIN search_documents d ON d.terms @@ w.alike
      WHERE d.account_id = ${account} AND d.chat_id IN (SELECT id FROM readable)
        AND ${narrowed(phrases, where)}
    ), counts AS MATERIALIZED (
      SELECT n, count(*) FILTER (WHERE exact) AS exactly, count(*) AS alike FROM matching GROUP BY n
    ), progress AS MATERIALIZED (
      SELECT greatest(documents, 1) AS documents FROM search_progress WHERE account_id = ${account}
    ), best AS (
      SELECT m.id, m.at, m.named, m.digest,
        coalesce(array_agg(m.n) FILTER (WHERE m.exact), '{}') AS has,
        coalesce(array_agg(m.n) FILTER (WHERE NOT m.exact), '{}') AS near
      FROM matching m JOIN counts c USING (n) CROSS JOIN progress p
      GROUP BY m.id, m.at, m.named, m.digest
      ORDER BY sum(ln(1 + p.documents::float8 / CASE WHEN m.exact THEN c.exactly ELSE c.alike END))
        + CASE WHEN m.named THEN 4 ELSE 0 END DESC, m.at DESC
      LIMIT ${MOST}
    ), nearest AS (
      SELECT d.id, d.at, ${isNamed(named)} AS named, d.source_kind = 'digest' AS digest,
        tsvector_to_array(d.terms) AS words,
        coalesce(array_agg(w.n) FILTER (WHERE d.terms @@ w.exact), '{}') AS has,
        coalesce(array_agg(w.n) FILTER (WHERE NOT d.terms @@ w.exact), '{}') AS near
      FROM search_documents d LEFT JOIN words w ON d.terms @@ w.alike
      WHERE d.account_id = ${account} AND d.id = ANY(${near.map(({ id }) => id)}::bigint[])
        AND d.chat_id IN (SELECT id FROM readable) AND ${narrowed(phrases, where)}
      GROUP BY d.account_id, d.id
    )
    SELECT (SELECT documents FROM progress) AS documents,
      (SELECT json_object_agg(n, json_build_object('exactly', exactly, 'alike', alike)) FROM counts) AS counts,
      (SELECT json_agg(json_build_object('id', id, 'at', extract(epoch FROM at) * 1000,
        'named', named, 'digest', digest, 'has', has, 'near', near)) FROM best) AS best,
      (SELECT json_agg(json_build_object('id', id, 'at', extract(epoch FROM at) * 1000,
        'named', named, 'digest', digest, 'has', has, 'near', near, 'words', words)) FROM nearest) AS nearest`.execute(
    db,
  );
  const { documents, counts, best, nearest } = rows[0] ?? NOTHING;
  const close = meant(nearest ?? [], near, chance);
  const others = (best ?? []).filter(({ id }) => !close.has(id));
  return {
    candidates: [...close.values(), ...others.map((row) => ({ ...dated(row), ...UNKNOWN }))],
    documents: documents ?? 0,
    words: terms.map((term, n) => ({
      exactly: counts?.[n]?.exactly ?? 0,
      alike: counts?.[n]?.alike ?? 0,
      name: named.words.has(term),
    })),
  };
}

const NOTHING: Row = { documents: null, counts: null, best: null, nearest: null };
const UNKNOWN = { meaning: 0, beyondChance: -1 };

const dated = ({ id, at, has, near, named, digest }: Bare) => ({
  id,
  at: new Date(at),
  has,
  near,
  named,
  digest,
});

/** Those near in meaning, by their ids; only what the statement let through. */
function meant(
  rows: NonNullable<Row['nearest']>,
  near: Nearness['near'],
  chance: number,
): ReadonlyMap<number, Candidate<number>> {
  const similarity = new Map(near.map((each) => [each.id, each.similarity]));
  const repeated = repetition(rows.map(({ words }) => new Set(words)));
  return new Map(
    rows.map((row, n) => {
      const beyondChance = (similarity.get(row.id) ?? 0) - chance;
      const meaning = meaningOf(beyondChance, repeated[n] ?? 0);
      return [row.id, { ...dated(row), beyondChance, meaning }];
    }),
  );
}

const isNamed = ({ contacts, chats }: Named): RawBuilder<boolean> => sql<boolean>`
  (d.chat_id = ANY(${chats}::uuid[]) OR coalesce(d.contact_id = ANY(${contacts}::uuid[]), false))`;

/** The newest, whatever they say; of those that are named, if any are. */
export async function findRecent(
  { db, account, admins }: Place,
  scope: SearchScope,
  named: Named,
  where: Where,
): Promise<readonly number[]> {
  const anybody = named.words.size === 0;
  const { rows } = await sql<{ id: number }>`
    WITH readable AS MATERIALIZED (${readableChats(account, scope, admins)})
    SELECT d.id FROM search_documents d
    WHERE d.account_id = ${account} AND d.chat_id IN (SELECT id FROM readable)
      AND ${narrowed([], where)} AND (${anybody} OR ${isNamed(named)})
    ORDER BY d.at DESC, d.id DESC LIMIT ${MOST}`.execute(db);
  return rows.map(({ id }) => id);
}

export function narrowed(
  phrases: Question['phrases'],
  { from, to, chat, contact }: Where,
): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = phrases.map(
    (phrase) => sql`d.terms @@ ${toPhrase(phrase)}::tsquery`,
  );
  if (from !== undefined) conditions.push(sql`d.at >= ${from}`);
  if (to !== undefined) conditions.push(sql`d.at < ${to}`);
  if (chat !== undefined) conditions.push(sql`d.chat_id = ${chat}`);
  if (contact === 'me') conditions.push(sql`d.contact_id IS NULL AND d.source_kind = 'message'`);
  else if (contact !== undefined) conditions.push(sql`d.contact_id = ${contact}`);
  return sql.join([sql`true`, ...conditions], sql` AND `);
}
