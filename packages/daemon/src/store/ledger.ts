// The ledger: what was decided, by whom, about what, and why. Rows are chained by hash per account.
// Called inside the caller's transaction and late in it: the head stays locked until commit.
import type { AccountId } from '@relay/core/ids';
import type { LedgerDetail } from '@relay/core/ledger/detail';
import { sql } from 'kysely';
import type { Reader, Transaction } from './database.ts';

export interface LedgerEntry {
  readonly actor: string;
  readonly action: string;
  readonly subject: { readonly kind: string; readonly id: string };
  readonly outcome: string;
  readonly reason: string;
  /** Ids, hashes and figures only, never text that somebody wrote. */
  readonly detail?: LedgerDetail | Readonly<Record<string, unknown>>;
}

export async function appendLedger(
  tx: Transaction,
  account: AccountId,
  entry: LedgerEntry,
): Promise<number> {
  const { rows } = await sql<{
    seq: number;
  }>`SELECT ledger_append(${account}, ${entry.actor}, ${entry.action},
    ${entry.subject.kind}, ${entry.subject.id}, ${entry.outcome}, ${entry.reason},
    ${JSON.stringify(entry.detail ?? {})}::jsonb) AS seq`.execute(tx);
  const row = rows[0];
  if (row === undefined) throw new Error('the ledger returned no number');
  return row.seq;
}

export interface LedgerFault {
  readonly kind: 'altered' | 'missing' | 'cut';
  readonly seq: number;
}

/** Recomputes the chain and names the first row that was altered, dropped or cut off; null if whole. */
export async function verifyLedger(db: Reader, account: AccountId): Promise<LedgerFault | null> {
  const { rows } = await sql<{ seq: number; expected: number; intact: boolean }>`
    SELECT seq, expected, intact FROM (
      SELECT seq, row_number() OVER (ORDER BY seq) AS expected,
        hash = ledger_digest(coalesce(lag(hash) OVER (ORDER BY seq), ''::bytea), seq, at, actor, action,
          subject_kind, subject_id, outcome, reason, detail) AS intact
      FROM ledger WHERE account_id = ${account}
    ) checked WHERE seq <> expected OR NOT intact ORDER BY seq LIMIT 1`.execute(db);
  const broken = rows[0];
  if (broken !== undefined) {
    return broken.seq !== broken.expected
      ? { kind: 'missing', seq: broken.expected }
      : { kind: 'altered', seq: broken.seq };
  }
  // From the account, which always has a head: one without was cut off at its top.
  const { rows: ends } = await sql<{ last: number; whole: boolean }>`
    SELECT coalesce(l.seq, 0) AS last,
      coalesce(h.seq = coalesce(l.seq, 0) AND h.hash = coalesce(l.hash, ''::bytea), false) AS whole
    FROM accounts a LEFT JOIN ledger_heads h ON h.account_id = a.id
      LEFT JOIN ledger l ON l.account_id = a.id
        AND l.seq = (SELECT max(seq) FROM ledger WHERE account_id = a.id)
    WHERE a.id = ${account}`.execute(db);
  const end = ends[0];
  return end === undefined || end.whole ? null : { kind: 'cut', seq: end.last + 1 };
}
