// The end of digests, with their facts and all that makes them findable (by key and by trigger).
import type { AccountId, DigestId } from '@relay/core/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Reader, Transaction } from '../database.ts';

/** `which` speaks of `digests g`. */
export async function findDigests(
  db: Reader,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<DigestId[]> {
  const { rows } = await sql<{ id: DigestId }>`
    SELECT g.id FROM digests g WHERE g.account_id = ${account} AND (${which})
    ORDER BY g.period_end`.execute(db);
  return rows.map(({ id }) => id);
}

export async function eraseDigests(
  tx: Transaction,
  account: AccountId,
  ids: readonly DigestId[],
): Promise<void> {
  await sql`DELETE FROM digests WHERE account_id = ${account} AND id = ANY(${ids}::uuid[])`.execute(
    tx,
  );
}
