// The runs of a conversation's agent: one row a turn, with what it cost. A row is running only while its
// turn is; what a restart left running is discarded when the next turn begins.
import { randomUUID } from 'node:crypto';
import { RelayError } from '@relay/core/errors';
import type { RunId } from '@relay/core/ids';
import { runId } from '@relay/core/ids';
import type { Spent } from '@relay/core/ports/turn';
import { sql } from 'kysely';
import type { Transaction } from '../../store/database.ts';
import type { Used } from './budget.ts';
import { dayOf, overBudget, usedBy } from './budget.ts';
import type { InstanceRow } from './rows.ts';
import type { ConversationWorld } from './work.ts';

/**
 * The last statement of a turn's beginning, and the one that makes its commit quick: it is not waited for
 * until it is on the disk. A power cut may undo the last half second of beginnings, whose jobs are then
 * taken anew; the commit at the turn's end makes its beginning durable with it.
 */
export async function beginRun(
  tx: Transaction,
  row: InstanceRow,
  readUpTo: number | null,
): Promise<RunId> {
  const id = runId(randomUUID());
  await sql`
    WITH quick AS MATERIALIZED (SELECT ${NOT_WAITING}),
      left_running AS (UPDATE runs SET state = 'discarded', ended_at = now()
        WHERE account_id = ${row.account_id} AND instance_id = ${row.id} AND state = 'running')
    INSERT INTO runs (account_id, id, actor, instance_id, state, epoch, read_up_to)
    SELECT ${row.account_id}::bigint, ${id}::uuid, ${`conversation:${row.id}`}, ${row.id}::uuid, 'running',
      ${row.epoch}::integer, ${readUpTo}::bigint FROM quick`.execute(tx);
  return id;
}

/** For the transaction it is part of. */
const NOT_WAITING = sql`set_config('synchronous_commit', 'off', true)`;

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

/** What the turns before this one have used and read. */
export async function lookBack(
  tx: Transaction,
  { now }: Pick<ConversationWorld, 'now'>,
  row: InstanceRow,
): Promise<Used & { readonly readUpTo: number }> {
  const { rows } = await sql<Used & { readUpTo: number | null }>`
    SELECT ${usedBy(row)} AS conversation,
      coalesce((SELECT tokens FROM spending
        WHERE account_id = ${row.account_id} AND day = ${dayOf(now())}::date), 0) AS day,
      (SELECT read_up_to FROM runs WHERE account_id = ${row.account_id} AND instance_id = ${row.id}
        AND state = 'done' ORDER BY started_at DESC LIMIT 1) AS "readUpTo"`.execute(tx);
  const { conversation = 0, day = 0, readUpTo = null } = rows[0] ?? {};
  return { conversation, day, readUpTo: readUpTo ?? 0 };
}

/**
 * Adds what a call of the model cost; rejects when a budget is used up with it. One statement under the
 * lease, not waited for on its way to the disk: of a turn that comes to its end nothing is lost, and a power
 * cut in the middle of one costs the count of its last half second.
 */
export async function addSpent(
  world: ConversationWorld,
  turn: Pick<InstanceRow, 'id'> & { readonly run: RunId },
  { provider, model, inputTokens, outputTokens }: Spent,
): Promise<void> {
  const { account, epoch } = world.lease;
  const tokens = inputTokens + outputTokens;
  const { rows } = await sql<Used>`
    WITH quick AS MATERIALIZED (SELECT ${NOT_WAITING}),
      held AS MATERIALIZED (SELECT l.account_id FROM account_leases l, quick
        WHERE l.account_id = ${account} AND l.epoch = ${epoch} FOR KEY SHARE OF l),
      run AS (UPDATE runs r SET provider = ${provider}, model = ${model}, steps = steps + 1,
          input_tokens = input_tokens + ${inputTokens}, output_tokens = output_tokens + ${outputTokens}
        FROM held WHERE r.account_id = held.account_id AND r.id = ${turn.run}),
      today AS (INSERT INTO spending AS s (account_id, day, tokens)
        SELECT account_id, ${dayOf(world.now())}::date, ${tokens}::bigint FROM held
        ON CONFLICT (account_id, day) DO UPDATE SET tokens = s.tokens + excluded.tokens RETURNING tokens)
    SELECT today.tokens AS day,
      ${usedBy({ account_id: account, id: turn.id })} + ${tokens}::bigint AS conversation FROM today`.execute(
    world.db,
  );
  const used = rows[0];
  if (used === undefined) throw new RelayError('lease_lost');
  const fault = overBudget(world, used);
  if (fault !== null) throw fault;
}
