// The runs of a conversation's agent: one row a turn, with what it cost. A row is running only while its
// turn is; what a restart left running is discarded when the next turn begins.
import { randomUUID } from 'node:crypto';
import type { RunId } from '@relay/core/ids';
import { runId } from '@relay/core/ids';
import type { Spent } from '@relay/core/ports/turn';
import { sql } from 'kysely';
import type { Transaction } from '../../store/database.ts';
import { fenced } from '../../store/fenced.ts';
import { budgetSpent } from './budget.ts';
import type { InstanceRow } from './rows.ts';
import type { ConversationWorld } from './work.ts';

export async function beginRun(
  tx: Transaction,
  row: InstanceRow,
  readUpTo: number | null,
): Promise<RunId> {
  await tx
    .updateTable('runs')
    .set({ state: 'discarded', ended_at: sql`now()` })
    .where('account_id', '=', row.account_id)
    .where('instance_id', '=', row.id)
    .where('state', '=', 'running')
    .execute();
  const id = runId(randomUUID());
  await tx
    .insertInto('runs')
    .values({
      account_id: row.account_id,
      id,
      actor: `conversation:${row.id}`,
      instance_id: row.id,
      state: 'running',
      epoch: row.epoch,
      read_up_to: readUpTo,
    })
    .execute();
  return id;
}

export async function endRun(
  tx: Transaction,
  { lease }: Pick<ConversationWorld, 'lease'>,
  run: RunId,
  state: 'done' | 'failed' | 'discarded',
  failure: string | null = null,
): Promise<void> {
  await tx
    .updateTable('runs')
    .set({ state, failure, ended_at: sql`now()` })
    .where('account_id', '=', lease.account)
    .where('id', '=', run)
    .execute();
}

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

/** The last line that a turn which came to its end had read. */
export async function readBefore(tx: Transaction, row: InstanceRow): Promise<number> {
  const last = await tx
    .selectFrom('runs')
    .select('read_up_to')
    .where('account_id', '=', row.account_id)
    .where('instance_id', '=', row.id)
    .where('state', '=', 'done')
    .orderBy('started_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.read_up_to ?? 0;
}

/** Adds what a call of the model cost; rejects when a budget is used up with it. */
export async function addSpent(
  world: ConversationWorld,
  row: Pick<InstanceRow, 'id'> & { readonly run: RunId },
  spent: Spent,
): Promise<void> {
  const fault = await fenced(world.db, world.lease, async (tx) => {
    await tx
      .updateTable('runs')
      .set((of) => ({
        provider: spent.provider,
        model: spent.model,
        steps: of('steps', '+', 1),
        input_tokens: of('input_tokens', '+', spent.inputTokens),
        output_tokens: of('output_tokens', '+', spent.outputTokens),
      }))
      .where('account_id', '=', world.lease.account)
      .where('id', '=', row.run)
      .execute();
    return budgetSpent(tx, world, row.id);
  });
  if (fault !== null) throw fault;
}
