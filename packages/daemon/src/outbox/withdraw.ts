// Takes back messages that have not left. One that may have left is in doubt and is not touched.
import type { AccountId } from '@relay/core/ids';
import type { Transaction } from '../store/database.ts';
import { type Aftermath, type OutboxRow, settle } from './settle.ts';

/** A message that is taken back was not sent, and nobody waits to hear that it got lost. */
const NOTHING_FOLLOWS: Aftermath = { recordSent: async () => {}, undelivered: async () => {} };

interface Withdrawal {
  /** Only what was queued before then. */
  readonly before: Date;
  readonly now: Date;
  /** Why, for a person. */
  readonly sentence: string;
}

export async function withdrawQueued(
  tx: Transaction,
  account: AccountId,
  { before, now, sentence }: Withdrawal,
): Promise<readonly OutboxRow[]> {
  const queued = await tx
    .selectFrom('outbox')
    .select('id')
    .where('account_id', '=', account)
    .where('state', '=', 'pending')
    .where('in_doubt', '=', false)
    .where('created_at', '<', before)
    .execute();
  const is = () => ({ event: { type: 'stopped' }, at: now, sentence }) as const;
  const outcomes = queued.map(({ id }) => ({ of: { id }, is }));
  const settled = await settle(tx, account, outcomes, NOTHING_FOLLOWS);
  return settled.map(({ row }) => row);
}
