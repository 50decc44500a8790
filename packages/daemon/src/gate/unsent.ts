// Messages of a conversation that are still queued: whether there are any, and withdrawing them once they have become
// pointless.
import type { AccountId, InstanceId } from '@relay/core/ids';
import type { StopReason } from '@relay/core/ledger/stops';
import { sql } from 'kysely';
import { recordStops } from '../outbox/stops.ts';
import { withdrawQueued } from '../outbox/withdraw.ts';
import type { Transaction } from '../store/database.ts';

export interface Withdrawal {
  readonly account: AccountId;
  readonly instance: InstanceId;
  readonly reason: StopReason;
  /** The same for a person. */
  readonly sentence: string;
  /** The agent's messages alone, not those that the owner sent by hand. */
  readonly agentOnly: boolean;
  readonly at: Date;
}

export interface Withdrawn {
  readonly count: number;
  /** Writes it to the ledger, which stays locked from there to the commit. */
  record(): Promise<void>;
}

export async function withdrawFromConversation(
  tx: Transaction,
  { account, instance, reason, sentence, agentOnly, at }: Withdrawal,
): Promise<Withdrawn> {
  const isAgents = sql`EXISTS (SELECT FROM permits p
    WHERE p.account_id = o.account_id AND p.id = o.permit_id AND p.actor LIKE 'conversation:%')`;
  const which = sql`o.instance_id = ${instance} AND (NOT ${agentOnly} OR ${isAgents})`;
  const rows = await withdrawQueued(tx, account, { which, at, sentence });
  const stopped = rows.map((row) => ({ row, reason }));
  return { count: stopped.length, record: () => recordStops(tx, account, stopped) };
}

/** Whether a message of the conversation is queued, or in doubt and may still be offered again. */
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
