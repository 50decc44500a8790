// How far memory's vectors have come, counted when somebody asks.
import type { AccountId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Reader } from '../../store/database.ts';
import { type ModelName, ofModel } from './stored.ts';

export interface Counts {
  readonly documents: number;
  readonly vectors: number;
  readonly waiting: number;
}

/** `of` null: no model has seen anything. */
export async function countVectors(
  db: Reader,
  account: AccountId,
  of: ModelName | null,
): Promise<Counts> {
  const none: ModelName = { provider: '', model: '' };
  const model = ofModel({ account, of: of ?? none });
  const { rows } = await sql<Counts>`
    SELECT (SELECT count(*) FROM search_documents d WHERE d.account_id = ${account}) AS documents,
      (SELECT count(*) FROM search_vectors v WHERE ${model}) AS vectors,
      (SELECT count(*) FROM search_documents d WHERE d.account_id = ${account} AND NOT EXISTS (
        SELECT FROM search_vector_progress v
        WHERE ${model} AND d.id BETWEEN v.lower AND v.upper)) AS waiting`.execute(db);
  return rows[0] ?? { documents: 0, vectors: 0, waiting: 0 };
}
