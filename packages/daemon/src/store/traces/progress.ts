// How far finished work was told to a collector of traces. Two turns may end in another order than they began and
// commit in a third, so there is no one place to have come to: what was told is kept by its id, and `since` follows.
// Invariant: what began after `since` is told once; what was told is known over a restart.
import type { AccountId } from '@relay/core/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Reader, Transaction } from '../database.ts';

export interface TraceProgress {
  /** What this home is called. */
  readonly instance: string;
  readonly since: Date;
  readonly ledgerSeq: number;
}

export interface Traced {
  readonly id: string;
  /** When it began. */
  readonly at: Date;
}

/** As exact as what is read here and written back: the two are compared. */
const inThousandths = (at: RawBuilder<unknown>): RawBuilder<Date> =>
  sql<Date>`date_trunc('milliseconds', ${at})`;

/** From where it was left; from this moment on where there was no collector before. */
export async function beginTracing(tx: Transaction, account: AccountId): Promise<void> {
  await sql`INSERT INTO trace_progress AS p (account_id, since, ledger_seq)
    VALUES (${account}, ${inThousandths(sql`now() + interval '1 millisecond'`)}, (SELECT seq FROM ledger_heads WHERE account_id = ${account}))
    ON CONFLICT (account_id) DO UPDATE SET since = excluded.since, ledger_seq = excluded.ledger_seq
      WHERE p.since IS NULL`.execute(tx);
}

/** There is no collector: what happens until there is one again is never told. */
export async function endTracing(tx: Transaction, account: AccountId): Promise<void> {
  await sql`UPDATE trace_progress SET since = NULL
    WHERE account_id = ${account} AND since IS NOT NULL`.execute(tx);
  await sql`DELETE FROM traced WHERE account_id = ${account}`.execute(tx);
}

export async function tracingProgress(
  db: Reader,
  account: AccountId,
): Promise<TraceProgress | null> {
  const { rows } = await sql<TraceProgress>`
    SELECT instance, since, ledger_seq AS "ledgerSeq" FROM trace_progress
    WHERE account_id = ${account} AND since IS NOT NULL`.execute(db);
  return rows[0] ?? null;
}

/** Of a row named `alias`: it was told. */
export const isTraced = (alias: 'r' | 'o'): RawBuilder<boolean> => sql<boolean>`
  EXISTS (SELECT FROM traced t WHERE t.account_id = ${sql.ref(`${alias}.account_id`)}
    AND t.id = ${sql.ref(`${alias}.id`)})`;

export async function markTraced(
  tx: Transaction,
  account: AccountId,
  told: readonly Traced[],
): Promise<void> {
  await sql`INSERT INTO traced (account_id, id, at)
    SELECT ${account}::bigint, * FROM unnest(${told.map(({ id }) => id)}::uuid[],
      ${told.map(({ at }) => at.toISOString())}::timestamptz[])
    ON CONFLICT DO NOTHING`.execute(tx);
}

/** A transaction that is open may still show what began before now; none takes so long. */
const OVERLAP = sql`interval '10 minutes'`;

/**
 * On to the oldest that is not told yet. What has waited for a day is given up. A clock that was put back puts this
 * back with it.
 */
export async function moveOn(tx: Transaction, account: AccountId): Promise<void> {
  await sql`
    WITH next AS (SELECT p.account_id, ${inThousandths(sql`greatest(least(p.since, now()), now() - interval '1 day', least(
        now() - ${OVERLAP},
        (SELECT min(r.started_at) FROM runs r WHERE r.account_id = p.account_id
          AND r.started_at >= p.since AND NOT ${isTraced('r')}),
        (SELECT min(o.created_at) FROM outbox o WHERE o.account_id = p.account_id
          AND o.created_at >= p.since AND NOT ${isTraced('o')})))`)} AS since
      FROM trace_progress p WHERE p.account_id = ${account} AND p.since IS NOT NULL)
    UPDATE trace_progress p SET since = next.since, ledger_seq = coalesce((SELECT max(l.seq) FROM ledger l
        WHERE l.account_id = p.account_id AND l.seq > p.ledger_seq AND l.at < next.since - ${OVERLAP}), p.ledger_seq)
    FROM next WHERE p.account_id = next.account_id`.execute(tx);
  await sql`DELETE FROM traced t USING trace_progress p
    WHERE t.account_id = ${account} AND p.account_id = t.account_id AND t.at < p.since`.execute(tx);
}
