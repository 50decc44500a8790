// Messages of a conversation that are still queued and have become pointless: they are stopped before they are sent.
// What may have left already is not touched.
import type { AccountId, InstanceId } from '@relay/core/ids';
import type { StopReason } from '@relay/core/ledger/stops';
import { sql } from 'kysely';
import type { Aftermath } from '../outbox/settle.ts';
import { settle } from '../outbox/settle.ts';
import { recordStops, type StoppedMessage } from '../outbox/stops.ts';
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

const NONE: Withdrawn = { count: 0, record: async () => {} };

export async function withdrawQueued(
  tx: Transaction,
  { account, instance, reason, sentence, agentOnly, at }: Withdrawal,
): Promise<Withdrawn> {
  const { rows } = await sql<StoppedMessage>`
    SELECT o.id, o.permit_id, o.chat_id FROM outbox o
      JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
    WHERE o.account_id = ${account} AND o.instance_id = ${instance} AND o.state = 'pending' AND NOT o.in_doubt
      AND (NOT ${agentOnly} OR p.actor LIKE 'conversation:%')`.execute(tx);
  if (rows.length === 0) return NONE;
  const settled = await settle(
    tx,
    account,
    rows.map(({ id }) => ({
      of: { id },
      is: (row) =>
        row.state === 'pending' && !row.in_doubt
          ? { event: { type: 'stopped' }, at, sentence }
          : null,
    })),
    NOTHING_FOLLOWS,
  );
  const stopped = settled.map(({ row }) => ({ row, reason }));
  return { count: stopped.length, record: () => recordStops(tx, account, stopped) };
}

/** The caller is the conversation itself, and nothing was sent. */
const NOTHING_FOLLOWS: Aftermath = {
  recordSent: async () => {},
  undelivered: async () => {},
  settled: async () => {},
};

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
