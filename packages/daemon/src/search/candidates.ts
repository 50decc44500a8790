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
import { newestDocument } from './vectors/documents.ts';
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

type Worded = Bare & { readonly words: readonly string[] };

/** All of it in one value: hundreds of rows would take longer to take apart than to find. */
interface Row {
  readonly documents: number | null;
  readonly counts: Readonly<Record<string, Pick<AskedWord, 'exactly' | 'alike'>>> | null;
  readonly best: readonly Bare[] | null;
}

const MOST = 200;

export async function findCandidates(
  place: Place,
  scope: SearchScope,
  { terms, phrases }: Question,
  named: Named,
  where: Where,
  nearness: Promise<Nearness>,
): Promise<Found> {
  const asked: Asked = { ...place, scope, terms, named, bounds: narrowed(phrases, where) };
  const [{ documents, counts, best }, close] = await Promise.all([
    terms.length === 0 ? NOTHING : sharingWords(asked),
    nearness.then((found) => meant(asked, found)),
  ]);
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

interface Asked extends Place {
  readonly scope: SearchScope;
  readonly terms: Question['terms'];
  readonly named: Named;
  /** What narrows the documents `d`, besides who asks. */
  readonly bounds: RawBuilder<unknown>;
}

/** Each word with what is looked up for it; `n` is its place in the question. */
interface Lookup {
  readonly n: number;
  readonly exact: string;
  readonly alike: string;
}

/** Of a long history so many of the newest are looked through for every word. */
const NEWEST = 32_768;
/** The borders of what is new stay where they are for so many documents, and with them the server's plans. */
const STEP = 8_192;
/** A word that so many have at most is looked up in all of them. */
const RARE = 2_000;

/**
 * A frequent word of a long history is in ten thousand messages, and looking at them is what takes time. So the
 * newest are looked through for all words, and what is older for the rare ones, and for frequent ones that
 * stand together: an old message with one frequent word of several would be ranked last anyway.
 */
async function sharingWords(asked: Asked): Promise<Row> {
  const { db, terms } = asked;
  const lookups = terms.map((term, n) => ({ n, exact: toQuery(term), alike: toAlike(term) }));
  const newest = await newestDocument(db);
  if (newest <= 4 * NEWEST) return matching(asked, lookups, sql`true`);
  const border = STEP * Math.floor((newest - NEWEST) / STEP);
  // Written out: what the server knows of the border decides how it looks.
  const recent = await matching(asked, lookups, sql`d.id > ${sql.lit(border)}`);
  const share = (newest - border) / newest;
  const isRare = ({ n }: Lookup) => (recent.counts?.[n]?.alike ?? 0) <= RARE * share;
  const older = lookups.flatMap((lookup) =>
    isRare(lookup) ? [lookup] : together(lookup, lookups),
  );
  const old =
    older.length === 0 ? NOTHING : await matching(asked, older, sql`d.id <= ${sql.lit(border)}`);
  const counts = lookups.map((lookup) => {
    const of = ({ counts: counted }: Row) => counted?.[lookup.n] ?? { exactly: 0, alike: 0 };
    const [late, early] = [of(recent), of(old)];
    return isRare(lookup)
      ? { exactly: late.exactly + early.exactly, alike: late.alike + early.alike }
      : { exactly: late.exactly / share, alike: late.alike / share };
  });
  const best = [...(recent.best ?? []), ...(old.best ?? [])];
  return { documents: recent.documents, counts: Object.fromEntries(counts.entries()), best };
}

/** The word beside any other of the question; nothing when it is the only one. */
function together(lookup: Lookup, all: readonly Lookup[]): readonly Lookup[] {
  const others = all.filter(({ n }) => n !== lookup.n).map(({ exact }) => exact);
  if (others.length === 0) return [];
  return [{ ...lookup, alike: `${lookup.exact} & (${others.join(' | ')})` }];
}

/**
 * The best are told by what their words weigh, and only of those it is put together which words they have. They are
 * picked out by a table of hashes (`IS TRUE` keeps it from being made a join): right after a history was read the
 * server takes it for a few rows, and would go through all of them for each of the best.
 */
async function matching(
  { db, account, admins, scope, named, bounds }: Asked,
  lookups: readonly Lookup[],
  which: RawBuilder<unknown>,
): Promise<Row> {
  const { rows } = await sql<Row>`
    WITH readable AS MATERIALIZED (${readableChats(account, scope, admins)}),
    words AS MATERIALIZED (
      SELECT exact::tsquery AS exact, alike::tsquery AS alike, exact = alike AS same, n
      FROM unnest(${lookups.map(({ exact }) => exact)}::text[], ${lookups.map(({ alike }) => alike)}::text[],
        ${lookups.map(({ n }) => n)}::int[]) AS w(exact, alike, n)
    ), matching AS MATERIALIZED (
      SELECT d.id, d.at, d.source_kind = 'digest' AS digest, w.n, w.same OR d.terms @@ w.exact AS exact,
        ${isNamed(named)} AS named
      FROM words w JOIN search_documents d ON d.terms @@ w.alike
      WHERE d.account_id = ${account} AND ${which} AND ${isReadable(scope)} AND ${bounds}
    ), progress AS MATERIALIZED (
      SELECT greatest(documents, 1)::float8 AS documents FROM search_progress WHERE account_id = ${account}
    ), counts AS MATERIALIZED (
      SELECT n, exactly, alike, ln(1 + documents / greatest(exactly, 1)) AS weight,
        ln(1 + documents / alike) AS weight_alike
      FROM (SELECT n, count(*) FILTER (WHERE exact) AS exactly, count(*) AS alike
        FROM matching GROUP BY n) counted CROSS JOIN progress
    ), heaviest AS MATERIALIZED (
      SELECT m.id, m.at, m.named, m.digest, sum(CASE WHEN m.exact THEN c.weight ELSE c.weight_alike END)
        + CASE WHEN m.named THEN 4 ELSE 0 END AS weight
      FROM matching m JOIN counts c USING (n) GROUP BY m.id, m.at, m.named, m.digest
      ORDER BY weight DESC, m.at DESC LIMIT ${MOST}
    ), had AS MATERIALIZED (
      SELECT m.id, coalesce(array_agg(m.n) FILTER (WHERE m.exact), '{}') AS has,
        coalesce(array_agg(m.n) FILTER (WHERE NOT m.exact), '{}') AS near
      FROM matching m WHERE (m.id IN (SELECT id FROM heaviest)) IS TRUE GROUP BY m.id
    ), best AS (
      SELECT * FROM heaviest JOIN had USING (id)
    )
    SELECT (SELECT documents FROM progress) AS documents,
      (SELECT json_object_agg(n, json_build_object('exactly', exactly, 'alike', alike)) FROM counts) AS counts,
      (SELECT json_agg(json_build_object('id', id, 'at', extract(epoch FROM at) * 1000,
        'named', named, 'digest', digest, 'has', has, 'near', near) ORDER BY weight DESC, at DESC) FROM best) AS best`.execute(
    db,
  );
  return rows[0] ?? NOTHING;
}

/** The owner reads everything: there is nothing to look up. */
const isReadable = (scope: SearchScope): RawBuilder<unknown> =>
  scope.kind === 'owner' ? sql`true` : sql`d.chat_id IN (SELECT id FROM readable)`;

const NOTHING: Row = { documents: null, counts: null, best: null };
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
async function meant(
  { db, account, admins, scope, terms, named, bounds }: Asked,
  { near, chance }: Nearness,
): Promise<ReadonlyMap<number, Candidate<number>>> {
  if (near.length === 0) return new Map();
  const { rows } = await sql<{ nearest: readonly Worded[] | null }>`
    WITH readable AS MATERIALIZED (${readableChats(account, scope, admins)}),
    words AS MATERIALIZED (
      SELECT exact::tsquery AS exact, alike::tsquery AS alike, (n - 1)::int AS n
      FROM unnest(${terms.map(toQuery)}::text[], ${terms.map(toAlike)}::text[])
        WITH ORDINALITY AS w(exact, alike, n)
    ), nearest AS (
      SELECT d.id, d.at, ${isNamed(named)} AS named, d.source_kind = 'digest' AS digest,
        tsvector_to_array(d.terms) AS words,
        coalesce(array_agg(w.n) FILTER (WHERE d.terms @@ w.exact), '{}') AS has,
        coalesce(array_agg(w.n) FILTER (WHERE NOT d.terms @@ w.exact), '{}') AS near
      FROM search_documents d LEFT JOIN words w ON d.terms @@ w.alike
      WHERE d.account_id = ${account} AND d.id = ANY(${near.map(({ id }) => id)}::bigint[])
        AND ${isReadable(scope)} AND ${bounds}
      GROUP BY d.account_id, d.id
    )
    SELECT json_agg(json_build_object('id', id, 'at', extract(epoch FROM at) * 1000,
      'named', named, 'digest', digest, 'has', has, 'near', near, 'words', words)) AS nearest FROM nearest`.execute(
    db,
  );
  const found = rows[0]?.nearest ?? [];
  const similarity = new Map(near.map((each) => [each.id, each.similarity]));
  const repeated = repetition(found.map(({ words }) => new Set(words)));
  return new Map(
    found.map((row, n) => {
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
