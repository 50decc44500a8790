// Finds the messages that share words with a question, within what the caller may read: a few hundred of the best, and
// those nearest in meaning, with the data that ranking needs. Word frequencies are counted within the same scope, so
// that the order reveals nothing about chats that may not be read.
import type { AccountId, ChatId, ContactId } from '@relay/contract/ids';
import { findOvertakingMessage, type LaterMessage } from '@relay/core/search/overtaken';
import { findNamedPeople, type NamedEntry, type ParsedQuestion } from '@relay/core/search/query';
import {
  type AskedWord,
  meaningScore,
  repetition,
  type SearchCandidate,
} from '@relay/core/search/rank';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { readableChats, type SearchScope } from './scope.ts';
import { fromLexemes, toPhraseTsquery, toPrefixTsquery, toTsquery } from './tsvector.ts';
import type { NearbyDocuments } from './vectors/feature.ts';

/** The contacts and chats that a question names. */
interface NamedInQuestion {
  readonly contacts: readonly ContactId[];
  readonly chats: readonly ChatId[];
  /** The words that name them. */
  readonly words: ReadonlySet<string>;
}

export interface SearchBounds {
  readonly from?: Date;
  readonly to?: Date;
  readonly chat?: ChatId;
  readonly contact?: ContactId | 'me';
}

interface SearchContext {
  readonly db: Db;
  readonly account: AccountId;
  readonly admins: readonly string[];
}

interface CandidateSet {
  readonly candidates: readonly SearchCandidate<number>[];
  readonly words: readonly AskedWord[];
  readonly documents: number;
}

type CandidateRow = Pick<SearchCandidate<number>, 'id' | 'has' | 'near' | 'named' | 'digest'> & {
  readonly at: number;
};

type CandidateWithWords = CandidateRow & { readonly words: readonly string[] };

/** All in one value: hundreds of rows would take longer to parse than to find. */
interface MatchResult {
  readonly documents: number | null;
  readonly counts: Readonly<Record<string, Pick<AskedWord, 'exactly' | 'alike'>>> | null;
  readonly best: readonly CandidateRow[] | null;
}

const MAX_SEARCH_CANDIDATES = 200;

export async function findCandidates(
  place: SearchContext,
  scope: SearchScope,
  { terms, phrases }: ParsedQuestion,
  named: NamedInQuestion,
  where: SearchBounds,
  nearness: Promise<NearbyDocuments>,
): Promise<CandidateSet> {
  const asked: CandidateQuery = {
    ...place,
    scope,
    terms,
    named,
    bounds: boundsToSql(place.account, phrases, where),
  };
  const [{ documents, counts, best }, close] = await Promise.all([
    terms.length === 0 ? NO_MATCHES : sharingWords(asked),
    nearness.then((found) => findNearCandidates(asked, found)),
  ]);
  const others = (best ?? []).filter(({ id }) => !close.has(id));
  return {
    candidates: [
      ...close.values(),
      ...others.map((row) => ({ ...dated(row), ...UNKNOWN_MEANING })),
    ],
    documents: documents ?? 0,
    words: terms.map((term, n) => ({
      exactly: counts?.[n]?.exactly ?? 0,
      alike: counts?.[n]?.alike ?? 0,
      name: named.words.has(term),
    })),
  };
}

interface CandidateQuery extends SearchContext {
  readonly scope: SearchScope;
  readonly terms: ParsedQuestion['terms'];
  readonly named: NamedInQuestion;
  /** Conditions on the documents `d`, besides the scope. */
  readonly bounds: RawBuilder<unknown>;
}

/** A word with its queries; `n` is its position in the question. */
interface WordLookup {
  readonly n: number;
  readonly exact: string;
  readonly alike: string;
}

/** In a long history, this many of the newest documents are searched for every word. */
const NEWEST_DOCUMENTS = 32_768;
/** The border to older documents moves in steps of this size, so that the server's plans stay valid. */
const BORDER_STEP = 8_192;
/** A word in at most this many documents is searched in all of them. */
const RARE_WORD_DOCUMENTS = 2_000;

/**
 * In a long history a frequent word is in ten thousand messages, and reading them takes the time. So the newest are
 * searched for all words, and older ones only for rare words and for frequent ones that occur together: an old message
 * with only one frequent word of several would be ranked last anyway.
 */
async function sharingWords(asked: CandidateQuery): Promise<MatchResult> {
  const { db, account, terms } = asked;
  const lookups = terms.map((term, n) => ({
    n,
    exact: toTsquery(account, term),
    alike: toPrefixTsquery(account, term),
  }));
  const { documents, oldest, newest } = await readIndexSize(db, account);
  if (documents <= 4 * NEWEST_DOCUMENTS) return matching(asked, lookups, sql`true`);
  // Between two numbers of this account are those of others.
  const apart = Math.max(1, (newest - oldest + 1) / documents);
  const step = Math.ceil(BORDER_STEP * apart);
  const border = oldest + step * Math.floor((newest - oldest - NEWEST_DOCUMENTS * apart) / step);
  // A literal, because the server's plan depends on the value of the border.
  const recent = await matching(asked, lookups, sql`d.id > ${sql.lit(border)}`);
  const share = (newest - border) / (newest - oldest + 1);
  const isRare = ({ n }: WordLookup) =>
    (recent.counts?.[n]?.alike ?? 0) <= RARE_WORD_DOCUMENTS * share;
  const older = lookups.flatMap((lookup) =>
    isRare(lookup) ? [lookup] : besideOtherWords(lookup, lookups),
  );
  const old =
    older.length === 0 ? NO_MATCHES : await matching(asked, older, sql`d.id <= ${sql.lit(border)}`);
  const counts = lookups.map((lookup) => {
    const of = ({ counts: counted }: MatchResult) =>
      counted?.[lookup.n] ?? { exactly: 0, alike: 0 };
    const [late, early] = [of(recent), of(old)];
    return isRare(lookup)
      ? { exactly: late.exactly + early.exactly, alike: late.alike + early.alike }
      : { exactly: late.exactly / share, alike: late.alike / share };
  });
  const best = [...(recent.best ?? []), ...(old.best ?? [])];
  return { documents: recent.documents, counts: Object.fromEntries(counts.entries()), best };
}

interface IndexSize {
  readonly documents: number;
  /** The number of the account's first document, and the newest of any account. */
  readonly oldest: number;
  readonly newest: number;
}

async function readIndexSize(db: Db, account: AccountId): Promise<IndexSize> {
  const { rows } = await sql<IndexSize>`
    SELECT p.documents, coalesce((SELECT min(d.id) FROM search_documents d WHERE d.account_id = ${account}), 0) AS oldest,
      s.last_value AS newest
    FROM search_progress p, search_documents_id_seq s WHERE p.account_id = ${account}`.execute(db);
  return rows[0] ?? { documents: 0, oldest: 0, newest: 0 };
}

/** The word together with any other word of the question; empty when it is the only one. */
function besideOtherWords(lookup: WordLookup, all: readonly WordLookup[]): readonly WordLookup[] {
  const others = all.filter(({ n }) => n !== lookup.n).map(({ exact }) => exact);
  if (others.length === 0) return [];
  return [{ ...lookup, alike: `${lookup.exact} & (${others.join(' | ')})` }];
}

/**
 * Selects the best by the weight of their words, and only for those collects which words they contain. They are
 * selected with a hash table (`IS TRUE` keeps the planner from making it a join): right after a history sync the
 * planner expects only a few rows, and would scan all of them for each of the best.
 */
async function matching(
  { db, account, admins, scope, named, bounds }: CandidateQuery,
  lookups: readonly WordLookup[],
  which: RawBuilder<unknown>,
): Promise<MatchResult> {
  const { rows } = await sql<MatchResult>`
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
      ORDER BY weight DESC, m.at DESC LIMIT ${MAX_SEARCH_CANDIDATES}
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
  return rows[0] ?? NO_MATCHES;
}

/** The owner may read everything, so there is nothing to check. */
// `IS TRUE` keeps the planner from reading all documents of all these chats; those of one chat are read sooner.
function isReadable({ kind }: SearchScope): RawBuilder<unknown> {
  if (kind === 'owner') return sql`true`;
  const readable = sql`d.chat_id IN (SELECT id FROM readable)`;
  return kind === 'chat' ? readable : sql`(${readable}) IS TRUE`;
}

const NO_MATCHES: MatchResult = { documents: null, counts: null, best: null };
const UNKNOWN_MEANING = { meaning: 0, beyondChance: -1 };

const dated = ({ id, at, has, near, named, digest }: CandidateRow) => ({
  id,
  at: new Date(at),
  has,
  near,
  named,
  digest,
});

/** Documents near in meaning, by id, limited to what the scope and bounds allow. */
async function findNearCandidates(
  { db, account, admins, scope, terms, named, bounds }: CandidateQuery,
  { documents, chance }: NearbyDocuments,
): Promise<ReadonlyMap<number, SearchCandidate<number>>> {
  if (documents.length === 0) return new Map();
  const { rows } = await sql<{ nearest: readonly CandidateWithWords[] | null }>`
    WITH readable AS MATERIALIZED (${readableChats(account, scope, admins)}),
    words AS MATERIALIZED (
      SELECT exact::tsquery AS exact, alike::tsquery AS alike, (n - 1)::int AS n
      FROM unnest(${terms.map((term) => toTsquery(account, term))}::text[],
        ${terms.map((term) => toPrefixTsquery(account, term))}::text[])
        WITH ORDINALITY AS w(exact, alike, n)
    ), nearest AS (
      SELECT d.id, d.at, ${isNamed(named)} AS named, d.source_kind = 'digest' AS digest,
        tsvector_to_array(d.terms) AS words,
        coalesce(array_agg(w.n) FILTER (WHERE d.terms @@ w.exact), '{}') AS has,
        coalesce(array_agg(w.n) FILTER (WHERE NOT d.terms @@ w.exact), '{}') AS near
      FROM search_documents d LEFT JOIN words w ON d.terms @@ w.alike
      WHERE d.account_id = ${account} AND d.id = ANY(${documents.map(({ id }) => id)}::bigint[])
        AND ${isReadable(scope)} AND ${bounds}
      GROUP BY d.account_id, d.id
    )
    SELECT json_agg(json_build_object('id', id, 'at', extract(epoch FROM at) * 1000,
      'named', named, 'digest', digest, 'has', has, 'near', near, 'words', words)) AS nearest FROM nearest`.execute(
    db,
  );
  const found = rows[0]?.nearest ?? [];
  const similarity = new Map(documents.map((each) => [each.id, each.similarity]));
  const repeated = repetition(found.map(({ words }) => new Set(words)));
  return new Map(
    found.map((row, n) => {
      const beyondChance = (similarity.get(row.id) ?? 0) - chance;
      const meaning = meaningScore(beyondChance, repeated[n] ?? 0);
      return [row.id, { ...dated(row), beyondChance, meaning }];
    }),
  );
}

const isNamed = ({ contacts, chats }: NamedInQuestion): RawBuilder<boolean> => sql<boolean>`
  (d.chat_id = ANY(${chats}::uuid[]) OR coalesce(d.contact_id = ANY(${contacts}::uuid[]), false))`;

/** The newest documents, whatever they say; only those of the named contacts and chats, if there are any. */
export async function findRecentDocuments(
  { db, account, admins }: SearchContext,
  scope: SearchScope,
  named: NamedInQuestion,
  where: SearchBounds,
): Promise<readonly number[]> {
  const anybody = named.words.size === 0;
  const { rows } = await sql<{ id: number }>`
    WITH readable AS MATERIALIZED (${readableChats(account, scope, admins)})
    SELECT d.id FROM search_documents d
    WHERE d.account_id = ${account} AND d.chat_id IN (SELECT id FROM readable)
      AND ${boundsToSql(account, [], where)} AND (${anybody} OR ${isNamed(named)})
    ORDER BY d.at DESC, d.id DESC LIMIT ${MAX_SEARCH_CANDIDATES}`.execute(db);
  return rows.map(({ id }) => id);
}

function boundsToSql(
  account: AccountId,
  phrases: ParsedQuestion['phrases'],
  { from, to, chat, contact }: SearchBounds,
): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = phrases.map(
    (phrase) => sql`d.terms @@ ${toPhraseTsquery(account, phrase)}::tsquery`,
  );
  if (from !== undefined) conditions.push(sql`d.at >= ${from}`);
  if (to !== undefined) conditions.push(sql`d.at < ${to}`);
  if (chat !== undefined) conditions.push(sql`d.chat_id = ${chat}`);
  if (contact === 'me')
    conditions.push(sql`d.contact_id IS NULL AND d.source_kind IN ('message', 'media')`);
  else if (contact !== undefined) conditions.push(sql`d.contact_id = ${contact}`);
  return sql.join([sql`true`, ...conditions], sql` AND `);
}

// Finds later messages of the same chat that say that something has changed, as far as the caller may read. It looks at
// the newest few hundred messages of a chat.

interface OvertakenRow {
  readonly id: number;
  readonly words: readonly string[];
  readonly later: readonly { id: number; at: number; words: readonly string[] }[];
}

const MAX_LATER_MESSAGES = 300;

/** Maps each overtaken document to the one that overtook it. */
export async function findLaterChanges(
  { db, account, admins }: SearchContext,
  scope: SearchScope,
  where: SearchBounds,
  documents: readonly number[],
): Promise<ReadonlyMap<number, LaterMessage<number>>> {
  if (documents.length === 0) return new Map();
  const { rows } = await sql<OvertakenRow>`
    WITH readable AS MATERIALIZED (${readableChats(account, scope, admins)})
    SELECT h.id, tsvector_to_array(h.terms) AS words, l.later
    FROM search_documents h, LATERAL (
      SELECT json_agg(json_build_object('id', c.id, 'at', extract(epoch FROM c.at) * 1000,
        'words', tsvector_to_array(c.terms))) AS later
      FROM (
        SELECT d.id, d.at, d.terms FROM search_documents d
        WHERE d.account_id = ${account} AND d.chat_id = h.chat_id AND d.at > h.at AND d.changes
          AND ${boundsToSql(account, [], where)}
        ORDER BY d.at DESC LIMIT ${MAX_LATER_MESSAGES}
      ) c
    ) l
    WHERE h.account_id = ${account} AND h.id = ANY(${documents}::bigint[])
      AND h.source_kind = 'message' AND l.later IS NOT NULL AND h.chat_id IN (SELECT id FROM readable)`.execute(
    db,
  );
  return new Map(
    rows.flatMap(({ id, words, later }) => {
      const found = findOvertakingMessage(
        fromLexemes(account, words),
        later.map((each) => ({
          ...each,
          at: new Date(each.at),
          words: fromLexemes(account, each.words),
        })),
      );
      return found === null ? [] : [[id, found]];
    }),
  );
}

// Names of contacts and chats, read with each question, so that a new name works at once. A name only ranks messages
// higher that the caller may read anyway.

/** A contact, a group, or a contact together with the chat with them. */
export interface PersonOrGroup {
  readonly contact: ContactId | null;
  readonly chat: ChatId | null;
}

interface KnownParty extends NamedEntry<PersonOrGroup> {
  /** Phone numbers, LIDs, and addresses of groups. */
  readonly addresses: readonly string[];
}

export async function findPartiesNamed(
  db: Db,
  account: AccountId,
  words: readonly string[],
): Promise<NamedInQuestion> {
  if (words.length === 0) return { contacts: [], chats: [], words: new Set() };
  const meant = findNamedPeople(words, await readParties(db, account, sql`'[]'::json`));
  return {
    contacts: meant.ids.flatMap(({ contact }) => contact ?? []),
    chats: meant.ids.flatMap(({ chat }) => chat ?? []),
    words: meant.words,
  };
}

export const findAllParties = (db: Db, account: AccountId): Promise<readonly KnownParty[]> =>
  readParties(
    db,
    account,
    sql`coalesce((SELECT json_agg(a.value) FROM contact_aliases a
      WHERE a.account_id = p.account_id AND a.contact_id = p.id), '[]')`,
  );

/** In one value, because thousands of rows would take longer to parse than to find. */
async function readParties(
  db: Db,
  account: AccountId,
  addresses: RawBuilder<unknown>,
): Promise<readonly KnownParty[]> {
  const { rows } = await sql<{ everybody: KnownParty[] | null }>`
    SELECT json_agg(json_build_object('id', json_build_object('contact', contact, 'chat', chat),
      'names', array_remove(names, NULL), 'addresses', addresses)) AS everybody
    FROM (
      SELECT p.id AS contact, c.id AS chat, ${addresses} AS addresses,
        ARRAY[g.display_name, p.display_name, p.push_name] AS names
      FROM contacts p LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
        LEFT JOIN chats c ON c.account_id = p.account_id AND c.contact_id = p.id
      WHERE p.account_id = ${account}
      UNION ALL SELECT NULL, c.id, json_build_array(c.group_address), ARRAY[g.display_name, c.subject]
      FROM chats c LEFT JOIN grants g ON g.account_id = c.account_id AND g.chat_id = c.id
      WHERE c.account_id = ${account} AND c.kind = 'group'
    ) called`.execute(db);
  return rows[0]?.everybody ?? [];
}
