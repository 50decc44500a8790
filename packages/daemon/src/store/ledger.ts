// The ledger: what was decided, by whom, about what, and why. Rows are chained by hash per account.
// Called inside the caller's transaction and late in it: the head stays locked until commit.
import type { AccountId } from '@relay/core/ids';
import type { LedgerDetail } from '@relay/core/ledger/detail';
import { sql } from 'kysely';
import type { Transaction } from './database.ts';

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
