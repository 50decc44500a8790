// Stores answers under the caller's idempotency key: the same call under the same key gets the first answer, a
// different call is refused. Invariant: key, answer and effect are written in one transaction; two concurrent calls
// with one key wait for each other here.
import { RelayError } from '@relay/contract/errors';
import type { AccountId } from '@relay/contract/ids';
import { sql } from 'kysely';
import type { Transaction } from './database.ts';

export interface IdempotencyKey {
  readonly account: AccountId;
  /** The actor as the ledger names it. */
  readonly actor: string;
  readonly key: string;
  /** Hash of the whole request. */
  readonly hash: Buffer;
}

/** The stored answer; null if the key is new, which claims it for this caller. */
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

/** Stores ids and times only; null stores nothing, so that the call may be tried again. */
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
