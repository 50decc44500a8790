// The documents that a model has not seen yet, the newest first: those that came since, then what was there
// before. What has been looked at is one stretch of their numbers, which grows at both ends.
// Invariant: the stretch is moved in the transaction that stores the vectors.
import type { AccountId, ChatId, ContactId } from '@relay/core/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Reader, Transaction } from '../../store/database.ts';
import type { NewVector } from './columns.ts';
import { bytesOf } from './sketch.ts';
import type { Stored } from './stored.ts';

export interface Stretch {
  readonly lower: number;
  readonly upper: number;
}

export interface Unseen {
  readonly document: number;
  readonly chat: ChatId;
  readonly contact: ContactId | null;
  readonly seconds: number;
  /** Null when its source is gone in this moment. */
  readonly text: string | null;
}

export async function newestDocument(db: Reader): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END AS id FROM search_documents_id_seq`.execute(
    db,
  );
  return rows[0]?.id ?? 0;
}

/** How far the model has come; at first it has seen nothing, and begins at the newest. */
export async function stretchOf({ db, account, of }: Stored, newest: number): Promise<Stretch> {
  const { rows } = await sql<Stretch>`
    INSERT INTO search_vector_progress (account_id, provider, model, lower, upper)
    VALUES (${account}, ${of.provider}, ${of.model}, ${newest + 1}, ${newest})
    ON CONFLICT (account_id, provider, model) DO UPDATE SET provider = excluded.provider
    RETURNING lower, upper`.execute(db);
  return rows[0] ?? { lower: newest + 1, upper: newest };
}

export interface Batch {
  readonly unseen: readonly Unseen[];
  /** How far it is when these are done. */
  readonly upTo: Stretch;
}

/** Null: everything up to the number `newest` has been seen. */
export async function nextBatch(
  { db, account }: Stored,
  { lower, upper }: Stretch,
  newest: number,
  limit: number,
): Promise<Batch | null> {
  if (newest > upper) {
    const fresh = await read(
      db,
      account,
      sql`d.id > ${upper} AND d.id <= ${newest} ORDER BY d.id LIMIT ${limit}`,
    );
    const last = fresh.length < limit ? newest : (fresh.at(-1)?.document ?? newest);
    return { unseen: fresh, upTo: { lower, upper: last } };
  }
  if (lower === 0) return null;
  const older = await read(db, account, sql`d.id < ${lower} ORDER BY d.id DESC LIMIT ${limit}`);
  const last = older.length < limit ? 0 : (older.at(-1)?.document ?? 0);
  return { unseen: older, upTo: { lower: last, upper } };
}

async function read(
  db: Reader,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<readonly Unseen[]> {
  const { rows } = await sql<Unseen>`
    SELECT d.id AS document, d.chat_id AS chat, d.contact_id AS contact,
      extract(epoch FROM d.at)::bigint AS seconds, CASE d.source_kind
        WHEN 'message' THEN (SELECT m.body FROM messages m
          WHERE m.account_id = d.account_id AND m.sent_at = d.at AND m.id = d.source_id::bigint)
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
  { account, of }: Stored,
  vectors: readonly NewVector[],
  upTo: Stretch,
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ document: number }>`
    WITH there AS (
      SELECT id FROM search_documents WHERE account_id = ${account}
        AND id = ANY(${vectors.map(({ document }) => document)}::bigint[]) FOR KEY SHARE
    )
    INSERT INTO search_vectors (account_id, document_id, provider, model, dims, vector, sketch)
    SELECT ${account}, n.id, ${of.provider}, ${of.model}, ${vectors[0]?.vector.length ?? 0}, n.vector, n.sketch
    FROM unnest(${vectors.map(({ document }) => document)}::bigint[], ${vectors.map(({ stored }) => stored)}::bytea[],
      ${vectors.map(({ sketch }) => bytesOf(sketch))}::bytea[]) AS n(id, vector, sketch) JOIN there USING (id)
    ON CONFLICT DO NOTHING RETURNING document_id AS document`.execute(tx);
  await sql`UPDATE search_vector_progress SET lower = ${upTo.lower}, upper = ${upTo.upper}
    WHERE account_id = ${account} AND provider = ${of.provider} AND model = ${of.model}`.execute(
    tx,
  );
  return new Set(rows.map(({ document }) => document));
}
