// How far the log of events has been told to webhooks. Written in the transaction that makes the deliveries, so
// that nothing is told twice and nothing is left out, whatever is killed when.
import type { AccountId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Transaction } from '../database.ts';

/**
 * From this moment on. With no webhook nobody follows the log, so it begins here with the first one: what was
 * written before the transaction of the caller began is not told.
 */
export async function beginNow(tx: Transaction, account: AccountId): Promise<void> {
  await sql`INSERT INTO webhook_progress (account_id, cursor)
    VALUES (${account}, pg_current_xact_id()::text || '-0')
    ON CONFLICT (account_id) DO UPDATE SET cursor = excluded.cursor`.execute(tx);
}

/** Null: nothing was told yet, or by a database whose count of transactions was another. */
export async function lockProgress(tx: Transaction, account: AccountId): Promise<string | null> {
  const { rows } = await sql<{ cursor: string; ours: boolean }>`
    SELECT cursor, split_part(cursor, '-', 1)::xid8 <= pg_current_xact_id() AS ours
    FROM webhook_progress WHERE account_id = ${account} FOR UPDATE`.execute(tx);
  return rows[0]?.ours === true ? rows[0].cursor : null;
}

export async function saveProgress(
  tx: Transaction,
  account: AccountId,
  cursor: string,
): Promise<void> {
  await sql`UPDATE webhook_progress SET cursor = ${cursor} WHERE account_id = ${account}`.execute(
    tx,
  );
}
