// The rows of `search_vectors` of one model: loaded into the index in this process, and written by the follower.
// Columns are read as one value each: parsing 100,000 rows would take longer than finding them.
import type { AccountId, ChatId, ContactId } from '@relay/contract/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Transaction } from '../../../platform/db/database.ts';
import { PIECE_CHARACTERS } from '../../../platform/db/message-text.ts';
import { decodeVectors, type NearestOptions, toBuffer, type VectorRow } from './vector-index.ts';

/** Vectors of different models are never compared. */
export interface ModelName {
  readonly provider: string;
  readonly model: string;
}

export interface VectorTable {
  readonly db: Db;
  readonly account: AccountId;
  readonly model: ModelName;
}

export const isOfModel = ({
  account,
  model,
}: Pick<VectorTable, 'account' | 'model'>): RawBuilder<unknown> =>
  sql`v.account_id = ${account} AND v.provider = ${model.provider} AND v.model = ${model.model}`;

/** Each column of the rows in one value. */
interface VectorColumns {
  readonly documents: Buffer | null;
  readonly chats: readonly ChatId[] | null;
  readonly contacts: readonly (ContactId | null)[] | null;
  readonly seconds: readonly number[] | null;
  readonly vectors: Buffer | null;
}

/** The next rows by document number. */
export const readVectorRowsAfter = (stored: VectorTable, after: number, limit: number) =>
  readRows(stored, sql`v.document_id > ${after} ORDER BY v.document_id LIMIT ${limit}`);

export const readVectorRows = (stored: VectorTable, documents: readonly number[]) =>
  readRows(stored, sql`v.document_id = ANY(${documents}::bigint[])`);

async function readRows(
  stored: VectorTable,
  which: RawBuilder<unknown>,
): Promise<readonly VectorRow[]> {
  const { rows } = await sql<VectorColumns>`
    SELECT string_agg(int8send(r.document_id), '') AS documents, string_agg(r.vector, '') AS vectors,
      json_agg(d.chat_id) AS chats, json_agg(d.contact_id) AS contacts,
      json_agg(extract(epoch FROM d.at)::bigint) AS seconds
    FROM (SELECT v.* FROM search_vectors v WHERE ${isOfModel(stored)} AND ${which}) r
      JOIN search_documents d ON d.account_id = r.account_id AND d.id = r.document_id`.execute(
    stored.db,
  );
  const columns = rows[0];
  if (!columns?.documents || !columns.vectors) return [];
  const { documents, chats, contacts, seconds } = columns;
  const vectors = decodeVectors(columns.vectors);
  const count = documents.length / 8;
  const dims = vectors.length / count;
  return Array.from({ length: count }, (_, n) => ({
    document: Number(documents.readBigInt64BE(n * 8)),
    chat: chats?.[n] as ChatId,
    contact: contacts?.[n] ?? null,
    seconds: seconds?.[n] ?? 0,
    vector: vectors.subarray(n * dims, (n + 1) * dims),
  }));
}

/** Those of the documents that still exist and are within the bounds. */
export async function documentsWithinBounds(
  { db, account }: VectorTable,
  documents: readonly number[],
  bounds: NearestOptions,
): Promise<Set<number>> {
  const { rows } = await sql<{ documents: readonly number[] | null }>`
    SELECT json_agg(d.id) AS documents FROM search_documents d
    WHERE d.account_id = ${account} AND d.id = ANY(${documents}::bigint[]) AND ${withinBounds(bounds)}`.execute(
    db,
  );
  return new Set(rows[0]?.documents);
}

/** What a document of `search_documents d` must be for whoever asks. */
export function withinBounds({ chats, from, to, contact }: NearestOptions): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = [sql`true`];
  if (chats !== 'all') conditions.push(sql`d.chat_id = ANY(${chats}::uuid[])`);
  if (from !== undefined) conditions.push(sql`d.at >= ${from}`);
  if (to !== undefined) conditions.push(sql`d.at < ${to}`);
  if (contact === 'me') conditions.push(sql`d.contact_id IS NULL`);
  else if (contact !== undefined) conditions.push(sql`d.contact_id = ${contact}`);
  return sql.join(conditions, sql` AND `);
}

// The documents that a model has not seen yet, the newest first: those that came since, then what was there
// before. What has been looked at is one stretch of their numbers, which grows at both ends.
// Invariant: the stretch is moved in the transaction that stores the vectors.

interface SeenRange {
  readonly lower: number;
  readonly upper: number;
}

export interface UnseenDocument {
  readonly document: number;
  readonly chat: ChatId;
  readonly contact: ContactId | null;
  readonly seconds: number;
  /** Null if its source was just deleted. */
  readonly text: string | null;
}

export async function newestDocumentId(db: Db): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END AS id FROM search_documents_id_seq`.execute(
    db,
  );
  return rows[0]?.id ?? 0;
}

/** How far the model has come; at first it has seen nothing, and begins at the newest. */
export async function readSeenRange(
  { db, account, model }: VectorTable,
  newest: number,
): Promise<SeenRange> {
  const { rows } = await sql<SeenRange>`
    INSERT INTO search_vector_progress (account_id, provider, model, lower, upper)
    VALUES (${account}, ${model.provider}, ${model.model}, ${newest + 1}, ${newest})
    ON CONFLICT (account_id, provider, model) DO UPDATE SET provider = excluded.provider
    RETURNING lower, upper`.execute(db);
  return rows[0] ?? { lower: newest + 1, upper: newest };
}

interface DocumentBatch {
  readonly unseen: readonly UnseenDocument[];
  /** How far it is when these are done. */
  readonly upTo: SeenRange;
}

/** Null: everything up to the number `newest` has been seen. */
export async function nextDocumentBatch(
  { db, account }: VectorTable,
  { lower, upper }: SeenRange,
  newest: number,
  limit: number,
): Promise<DocumentBatch | null> {
  if (newest > upper) {
    const fresh = await readUnseenDocuments(
      db,
      account,
      sql`d.id > ${upper} AND d.id <= ${newest} ORDER BY d.id LIMIT ${limit}`,
    );
    const last = fresh.length < limit ? newest : (fresh.at(-1)?.document ?? newest);
    return { unseen: fresh, upTo: { lower, upper: last } };
  }
  if (lower === 0) return null;
  const older = await readUnseenDocuments(
    db,
    account,
    sql`d.id < ${lower} ORDER BY d.id DESC LIMIT ${limit}`,
  );
  const last = older.length < limit ? 0 : (older.at(-1)?.document ?? 0);
  return { unseen: older, upTo: { lower: last, upper } };
}

async function readUnseenDocuments(
  db: Db,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<readonly UnseenDocument[]> {
  const { rows } = await sql<UnseenDocument>`
    SELECT d.id AS document, d.chat_id AS chat, d.contact_id AS contact,
      extract(epoch FROM d.at)::bigint AS seconds, CASE d.source_kind
        WHEN 'message' THEN (SELECT m.body FROM messages m
          WHERE m.account_id = d.account_id AND m.sent_at = d.at AND m.id = d.source_id::bigint)
        WHEN 'media' THEN (SELECT substr(coalesce(m.transcript, m.extracted),
            split_part(d.source_id, '.', 2)::int * ${PIECE_CHARACTERS}::int + 1, ${PIECE_CHARACTERS}::int) FROM media m
          WHERE m.account_id = d.account_id AND m.message = split_part(d.source_id, '.', 1)::bigint)
        WHEN 'digest' THEN (SELECT g.body FROM digests g
          WHERE g.account_id = d.account_id AND g.id = d.source_id::uuid)
        WHEN 'fact' THEN (SELECT f.body FROM digest_facts f
          WHERE f.account_id = d.account_id AND f.id = d.source_id::bigint)
      END AS text
    FROM search_documents d WHERE d.account_id = ${account} AND ${which}`.execute(db);
  return rows;
}

/** Stores those whose documents are still there, and returns which. */
export async function storeVectors(
  tx: Transaction,
  { account, model }: VectorTable,
  vectors: readonly VectorRow[],
  upTo: SeenRange,
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ document: number }>`
    WITH there AS (
      SELECT id FROM search_documents WHERE account_id = ${account}
        AND id = ANY(${vectors.map(({ document }) => document)}::bigint[]) FOR KEY SHARE
    )
    INSERT INTO search_vectors (account_id, document_id, provider, model, dims, vector)
    SELECT ${account}, n.id, ${model.provider}, ${model.model}, ${vectors[0]?.vector.length ?? 0}, n.vector
    FROM unnest(${vectors.map(({ document }) => document)}::bigint[],
      ${vectors.map(({ vector }) => toBuffer(vector))}::bytea[]) AS n(id, vector) JOIN there USING (id)
    ON CONFLICT DO NOTHING RETURNING document_id AS document`.execute(tx);
  await sql`UPDATE search_vector_progress SET lower = ${upTo.lower}, upper = ${upTo.upper}
    WHERE account_id = ${account} AND provider = ${model.provider} AND model = ${model.model}`.execute(
    tx,
  );
  return new Set(rows.map(({ document }) => document));
}

// What became of vectors behind the follower's back: documents that were erased or moved, and vectors of
// models that nobody uses any more.

const CHANGED_AT_ONCE = 10_000;
const REMOVED_AT_ONCE = 2_000;

/** Each is reported once. */
export async function takeChangedDocuments({
  db,
  account,
}: VectorTable): Promise<readonly number[]> {
  const { rows } = await sql<{ document_id: number }>`
    DELETE FROM search_vectors_changed WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM search_vectors_changed WHERE account_id = ${account} LIMIT ${CHANGED_AT_ONCE}))
    RETURNING document_id`.execute(db);
  return rows.map(({ document_id }) => document_id);
}

/** Some of another model's vectors; false when there are none left. */
export async function removeOtherModels({ db, account, model }: VectorTable): Promise<boolean> {
  const { rows: others } = await sql<{ provider: string; model: string }>`
    SELECT provider, model FROM search_vector_progress
    WHERE account_id = ${account} AND (provider, model) <> (${model.provider}, ${model.model}) LIMIT 1`.execute(
    db,
  );
  const other = others[0];
  if (other === undefined) return false;
  const { numAffectedRows } = await sql`
    DELETE FROM search_vectors WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM search_vectors WHERE account_id = ${account}
        AND provider = ${other.provider} AND model = ${other.model} LIMIT ${REMOVED_AT_ONCE}))`.execute(
    db,
  );
  if (Number(numAffectedRows ?? 0) === 0)
    await sql`DELETE FROM search_vector_progress WHERE account_id = ${account}
      AND provider = ${other.provider} AND model = ${other.model}`.execute(db);
  return true;
}

// How far memory's vectors have come, counted when somebody asks.

interface VectorCounts {
  readonly documents: number;
  readonly vectors: number;
  readonly waiting: number;
}

/** `of` null: no model has seen anything. */
export async function countVectors(
  db: Db,
  account: AccountId,
  of: ModelName | null,
): Promise<VectorCounts> {
  const none: ModelName = { provider: '', model: '' };
  const model = isOfModel({ account, model: of ?? none });
  const { rows } = await sql<VectorCounts>`
    SELECT (SELECT count(*) FROM search_documents d WHERE d.account_id = ${account}) AS documents,
      (SELECT count(*) FROM search_vectors v WHERE ${model}) AS vectors,
      (SELECT count(*) FROM search_documents d WHERE d.account_id = ${account} AND NOT EXISTS (
        SELECT FROM search_vector_progress v
        WHERE ${model} AND d.id BETWEEN v.lower AND v.upper)) AS waiting`.execute(db);
  return rows[0] ?? { documents: 0, vectors: 0, waiting: 0 };
}
