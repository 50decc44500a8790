// What became of vectors behind the follower's back: documents that were erased or moved, and vectors of
// models that nobody uses any more.
import { sql } from 'kysely';
import type { Stored } from './stored.ts';

const AT_ONCE = 10_000;
const REMOVED_AT_ONCE = 2_000;

/** Each is told once. */
export async function takeChanged({ db, account }: Stored): Promise<readonly number[]> {
  const { rows } = await sql<{ document_id: number }>`
    DELETE FROM search_vectors_changed WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM search_vectors_changed WHERE account_id = ${account} LIMIT ${AT_ONCE}))
    RETURNING document_id`.execute(db);
  return rows.map(({ document_id }) => document_id);
}

/** Some of another model's vectors; false when there are none left. */
export async function removeOthers({ db, account, of }: Stored): Promise<boolean> {
  const { rows: others } = await sql<{ provider: string; model: string }>`
    SELECT provider, model FROM search_vector_progress
    WHERE account_id = ${account} AND (provider, model) <> (${of.provider}, ${of.model}) LIMIT 1`.execute(
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
