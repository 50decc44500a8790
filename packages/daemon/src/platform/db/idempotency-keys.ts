// Answers kept under the caller's own key: the same call again under the same key gets the first answer, and
// another one is refused. Invariant: key, answer and what was done are one transaction's; two calls at once
// with one key wait for each other here.
import { RelayError } from '@relay/contract/errors';
import type { AccountId } from '@relay/contract/ids';
import { sql } from 'kysely';
import type { Transaction } from './database.ts';

export interface IdempotencyKey {
  readonly account: AccountId;
  /** As the ledger names them. */
  readonly actor: string;
  readonly key: string;
  /** Of all that is asked for. */
  readonly hash: Buffer;
}

/** The answer that was given under it; null for a key that is new, and is the caller's from now on. */
export async function claimIdempotencyKey(
  tx: Transaction,
  { account, actor, key, hash }: IdempotencyKey,
): Promise<unknown> {
  const { rows: fresh } =
    await sql`INSERT INTO idempotency_keys (account_id, actor, key, request_hash)
    VALUES (${account}, ${actor}, ${key}, ${hash}) ON CONFLICT DO NOTHING RETURNING key`.execute(
      tx,
    );
  if (fresh.length > 0) return null;
  const { rows } = await sql<{ same: boolean; response: unknown }>`
    SELECT request_hash = ${hash} AS same, response FROM idempotency_keys
    WHERE account_id = ${account} AND actor = ${actor} AND key = ${key}`.execute(tx);
  const [kept] = rows;
  if (kept?.same !== true) throw new RelayError('key_reused');
  return kept.response;
}

/** Ids and times only; null keeps nothing, so that it may be tried again. */
export async function keepIdempotentAnswer(
  tx: Transaction,
  { account, actor, key }: IdempotencyKey,
  answer: object | null,
): Promise<void> {
  const which = sql`account_id = ${account} AND actor = ${actor} AND key = ${key}`;
  if (answer === null) await sql`DELETE FROM idempotency_keys WHERE ${which}`.execute(tx);
  else {
    await sql`UPDATE idempotency_keys SET response = ${JSON.stringify(answer)}::jsonb
      WHERE ${which}`.execute(tx);
  }
}
