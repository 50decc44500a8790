// The rows of `search_vectors` of one model: read whole into the index, a few for an exact comparison, and
// asked for within the bounds of a question. Columns come as one value each: a million rows would take longer
// to take apart than to find.
import type { AccountId, ChatId, ContactId } from '@relay/core/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../../store/database.ts';
import type { SketchedRow } from './columns.ts';
import type { NearestOptions } from './vector-index.ts';

/** Vectors of different models are never compared. */
export interface ModelName {
  readonly provider: string;
  readonly model: string;
}

export interface Stored {
  readonly db: Reader;
  readonly account: AccountId;
  readonly of: ModelName;
}

export const ofModel = ({ account, of }: Pick<Stored, 'account' | 'of'>): RawBuilder<unknown> =>
  sql`v.account_id = ${account} AND v.provider = ${of.provider} AND v.model = ${of.model}`;

interface Columns {
  readonly documents: Buffer | null;
  readonly chats: readonly ChatId[] | null;
  readonly contacts: readonly (ContactId | null)[] | null;
  readonly seconds: readonly number[] | null;
  readonly sketches: Buffer | null;
}

/** The next rows by the number of their document, from `after` on. */
export const sketchesAfter = (stored: Stored, after: number, limit: number) =>
  read(stored, sql`v.document_id > ${after} ORDER BY v.document_id LIMIT ${limit}`);

export const sketchesOf = (stored: Stored, documents: readonly number[]) =>
  read(stored, sql`v.document_id = ANY(${documents}::bigint[])`);

async function read(stored: Stored, which: RawBuilder<unknown>): Promise<readonly SketchedRow[]> {
  const { rows } = await sql<Columns>`
    SELECT string_agg(int8send(r.document_id), '') AS documents, string_agg(r.sketch, '') AS sketches,
      json_agg(d.chat_id) AS chats, json_agg(d.contact_id) AS contacts,
      json_agg(extract(epoch FROM d.at)::bigint) AS seconds
    FROM (SELECT v.* FROM search_vectors v WHERE ${ofModel(stored)} AND ${which}) r
      JOIN search_documents d ON d.account_id = r.account_id AND d.id = r.document_id`.execute(
    stored.db,
  );
  const { documents, chats, contacts, seconds, sketches } = rows[0] ?? NOTHING;
  if (documents === null || sketches === null) return [];
  const count = documents.length / 8;
  const width = sketches.length / count;
  return Array.from({ length: count }, (_, n) => ({
    document: Number(documents.readBigInt64BE(n * 8)),
    chat: chats?.[n] as ChatId,
    contact: contacts?.[n] ?? null,
    seconds: seconds?.[n] ?? 0,
    sketch: sketches.subarray(n * width, (n + 1) * width),
  }));
}

const NOTHING: Columns = {
  documents: null,
  chats: null,
  contacts: null,
  seconds: null,
  sketches: null,
};

/** Those of the documents that are still there and within the bounds, each with its vector as it is stored. */
export async function vectorsOf(
  stored: Stored,
  documents: readonly number[],
  bounds: NearestOptions,
): Promise<{ readonly documents: readonly number[]; readonly vectors: Buffer }> {
  const { rows } = await sql<{ documents: readonly number[] | null; vectors: Buffer | null }>`
    SELECT json_agg(v.document_id) AS documents, string_agg(v.vector, '') AS vectors
    FROM search_vectors v JOIN search_documents d ON d.account_id = v.account_id AND d.id = v.document_id
    WHERE ${ofModel(stored)} AND v.document_id = ANY(${documents}::bigint[]) AND ${within(bounds)}`.execute(
    stored.db,
  );
  const { documents: found, vectors } = rows[0] ?? { documents: null, vectors: null };
  return { documents: found ?? [], vectors: vectors ?? Buffer.alloc(0) };
}

/** What a document of `search_documents d` must be for whoever asks. */
export function within({ chats, from, to, contact }: NearestOptions): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = [sql`true`];
  if (chats !== 'all') conditions.push(sql`d.chat_id = ANY(${chats}::uuid[])`);
  if (from !== undefined) conditions.push(sql`d.at >= ${from}`);
  if (to !== undefined) conditions.push(sql`d.at < ${to}`);
  if (contact === 'me') conditions.push(sql`d.contact_id IS NULL`);
  else if (contact !== undefined) conditions.push(sql`d.contact_id = ${contact}`);
  return sql.join(conditions, sql` AND `);
}
