// The runs of a conversation's agent: what they have read and used, and how often they failed.
import { NOTHING_USED } from '@relay/core/agent/budget';
import type { RunId } from '@relay/core/ids';
import type { Spent } from '@relay/core/ports/turn';
import { sql } from 'kysely';
import type { Transaction } from '../../store/database.ts';
import { noteSpent, spentToday } from '../../store/runs.ts';
import type { Used } from './budget.ts';
import { tokensOf, usedBy } from './budget.ts';
import type { InstanceRow } from './rows.ts';
import type { ConversationWorld } from './work.ts';

/** How often the agent has failed at what it is asked for now. */
export async function failuresInEpoch(tx: Transaction, row: InstanceRow): Promise<number> {
  const { count } = await tx
    .selectFrom('runs')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('account_id', '=', row.account_id)
    .where('instance_id', '=', row.id)
    .where('epoch', '=', row.epoch)
    .where('state', '=', 'failed')
    .executeTakeFirstOrThrow();
  return count;
}

/** What the turns before this one have used and read. */
export async function lookBack(
  tx: Transaction,
  clock: Pick<ConversationWorld, 'now' | 'zone'>,
  row: InstanceRow,
): Promise<Used & { readonly readUpTo: number }> {
  const { rows } = await sql<Used & { readUpTo: number | null }>`
    SELECT ${usedBy(row)} AS conversation, ${spentToday(row.account_id, clock)} AS day,
      (SELECT read_up_to FROM runs WHERE account_id = ${row.account_id} AND instance_id = ${row.id}
        AND state = 'done' ORDER BY started_at DESC LIMIT 1) AS "readUpTo"`.execute(tx);
  const { conversation = 0, day = NOTHING_USED, readUpTo = null } = rows[0] ?? {};
  return { conversation, day, readUpTo: readUpTo ?? 0 };
}

/** Adds what a call of the model cost, and says what is used with it. */
export async function addSpent(
  world: ConversationWorld,
  turn: Pick<InstanceRow, 'id'> & { readonly run: RunId },
  spent: Spent,
): Promise<Used> {
  const { db, lease } = world;
  const usedBefore = usedBy({ account_id: lease.account, id: turn.id });
  const spending = { run: turn.run, clock: world, usedBefore };
  const { before, day } = await noteSpent(db, lease, spending, spent);
  return { conversation: before + tokensOf(spent), day };
}
