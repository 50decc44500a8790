// Looks up and withdraws a conversation's queued messages, and withdraws old ones after a restore.
import type { AccountId, InstanceId } from '@relay/contract/ids';
import type { StopReason } from '@relay/core/ledger/rows';
import { sql } from 'kysely';
import type { Transaction } from '../../platform/db/database.ts';
import { type DeliveryHooks, recordStops, withdrawQueued } from '../outbox/delivery-updates.ts';
import { beginHold, type HoldDeps } from './hold.ts';

interface ConversationWithdrawal {
  readonly account: AccountId;
  readonly instance: InstanceId;
  readonly reason: StopReason;
  /** The reason as text for people. */
  readonly sentence: string;
  /** Only the agent's messages, not those that the owner sent by hand. */
  readonly agentOnly: boolean;
  readonly at: Date;
}

export interface WithdrawalResult {
  readonly count: number;
  /** Writes the withdrawals to the ledger, which stays locked from there to the commit. */
  record(): Promise<void>;
}

export async function withdrawFromConversation(
  tx: Transaction,
  { account, instance, reason, sentence, agentOnly, at }: ConversationWithdrawal,
): Promise<WithdrawalResult> {
  const isAgents = sql`EXISTS (SELECT FROM permits p
    WHERE p.account_id = o.account_id AND p.id = o.permit_id AND p.actor LIKE 'conversation:%')`;
  const which = sql`o.instance_id = ${instance} AND (NOT ${agentOnly} OR ${isAgents})`;
  const rows = await withdrawQueued(tx, account, { which, at, sentence });
  const stopped = rows.map((row) => ({ row, reason }));
  return { count: stopped.length, record: () => recordStops(tx, account, stopped) };
}

/** Whether a message of the conversation is queued, or is in doubt and may still be offered again. */
export async function hasUnsent(
  tx: Transaction,
  account: AccountId,
  instance: InstanceId,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM outbox WHERE account_id = ${account} AND instance_id = ${instance}
      AND state IN ('pending', 'unknown') AND told_at IS NULL LIMIT 1`.execute(tx);
  return rows.length > 0;
}

// What a restored archive may send. Its messages and agents are in the state of the backup: they may have been sent
// since, or be out of date. So a hold begins until the owner has looked, and old messages are withdrawn.

interface RestoreDeps extends Pick<HoldDeps, 'lease' | 'gate'> {
  readonly now: () => Date;
  readonly settled: DeliveryHooks['onSettled'];
}

/** A message that was queued for longer than this when the archive is restored is withdrawn. */
const OLDEST_QUEUED_MS = 24 * 3_600_000;

const WITHDRAWN_SENTENCE =
  'It had been queued for more than a day when the archive was restored, so it was not sent. Send it again if you still want it.';

/** Runs in the restore's own transaction. `madeAt` is the time of the archive. */
export const onRestored =
  (deps: RestoreDeps) =>
  async (tx: Transaction, madeAt: Date): Promise<void> => {
    const { account } = deps.lease;
    const now = deps.now();
    const before = new Date(now.getTime() - OLDEST_QUEUED_MS);
    const withdrawn = await withdrawQueued(tx, account, {
      which: sql`o.created_at < ${before}`,
      at: now,
      sentence: WITHDRAWN_SENTENCE,
      settled: deps.settled,
    });
    await beginHold(deps, tx, `Restored from an archive made at ${madeAt.toISOString()}.`);
    // Last, because the ledger stays locked from here to the commit.
    const stopped = withdrawn.map((row) => ({ row, reason: 'restored' }) as const);
    await recordStops(tx, account, stopped);
  };
