// Stores answers under the caller's idempotency key: the same call under the same key gets the first answer, a
// different call is refused. Invariant: key, answer and effect are written in one transaction, except for `once`
// below; two concurrent calls with one key wait for each other here.
import { RelayError } from '@relay/contract/errors';
import type { AccountId } from '@relay/contract/ids';
import { sql } from 'kysely';
import type { Transaction } from './database.ts';
import { type LeasedDb, transaction } from './transaction.ts';

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

/** Null stores nothing, so that the call may be tried again. */
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

// Responses of version 1 of the API under the caller's key. The key is claimed before the effect and the response kept
// after it, in transactions of their own.
// Invariant: after a crash in between, only an effect that may be repeated is repeated.

interface KeyedRequest extends Omit<IdempotencyKey, 'account'> {
  /** Whether carrying it out again has no further effect. */
  readonly mayRepeat: boolean;
}

export interface KeptResponses {
  /** The response that was kept for the request, or else that of `run`. */
  once(request: KeyedRequest, run: () => Promise<object>): Promise<object>;
}

export function createKeptResponses(leased: LeasedDb): KeptResponses {
  const { account } = leased.lease;
  const running = new Set<string>();
  return {
    async once({ mayRepeat, ...request }, run) {
      const asked = { account, ...request };
      const id = `${asked.actor}\n${asked.key}`;
      if (running.has(id)) throw new RelayError('request_in_progress');
      running.add(id);
      try {
        const before = await transaction(leased, ({ tx }) => beginRequest(tx, asked));
        if (typeof before === 'object') return before;
        if (before === 'unknown' && !mayRepeat) throw new RelayError('request_outcome_unknown');
        const answer = await run().catch(async (error: unknown) => {
          // A refusal has no effect, so the key may be used again; any other error may have come after the effect.
          const isRefused = error instanceof RelayError && error.status < 500;
          if (isRefused) await keepAnswer(leased, asked, null);
          throw error;
        });
        await keepAnswer(leased, asked, 'secret' in answer ? { ...answer, secret: null } : answer);
        return answer;
      } finally {
        running.delete(id);
      }
    },
  };
}

async function beginRequest(
  tx: Transaction,
  asked: IdempotencyKey,
): Promise<'new' | 'unknown' | object> {
  const { account, actor, key } = asked;
  const { rows } = await sql`SELECT FROM idempotency_keys
    WHERE account_id = ${account} AND actor = ${actor} AND key = ${key}`.execute(tx);
  const kept = (await claimIdempotencyKey(tx, asked)) as object | null;
  return kept ?? (rows.length === 0 ? 'new' : 'unknown');
}

const keepAnswer = (leased: LeasedDb, asked: IdempotencyKey, answer: object | null) =>
  transaction(leased, ({ tx }) => keepIdempotentAnswer(tx, asked, answer));
