// Withdraws messages that have not left. One that may have left is in doubt and is not touched.
import type { AccountId } from '@relay/core/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from '../store/database.ts';
import { type Aftermath, type OutboxRow, settle } from './settle.ts';

interface Withdrawal {
  /** Of rows of `outbox o`. */
  readonly which: RawBuilder<unknown>;
  readonly at: Date;
  /** Why, for a person. */
  readonly sentence: string;
  /** Left out by the conversation that withdraws its own messages. */
  readonly settled?: Aftermath['settled'];
}

/** Returns what was withdrawn; the caller records it in the ledger, last of all that it writes. */
export async function withdrawQueued(
  tx: Transaction,
  account: AccountId,
  { which, at, sentence, settled = async () => {} }: Withdrawal,
): Promise<readonly OutboxRow[]> {
  const { rows } = await sql<Pick<OutboxRow, 'id'>>`
    SELECT o.id FROM outbox o WHERE o.account_id = ${account} AND o.state = 'pending' AND NOT o.in_doubt
      AND ${which}`.execute(tx);
  if (rows.length === 0) return [];
  const outcomes = rows.map(({ id }) => ({
    of: { id },
    // It may have been handed to WhatsApp in this moment.
    is: (row: OutboxRow) =>
      row.state === 'pending' && !row.in_doubt
        ? ({ event: { type: 'stopped' }, at, sentence } as const)
        : null,
  }));
  // Nothing was sent, and nobody waits to hear that it got lost.
  const aftermath = { recordSent: async () => {}, undelivered: async () => {}, settled };
  const withdrawn = await settle(tx, account, outcomes, aftermath);
  return withdrawn.map(({ row }) => row);
}
