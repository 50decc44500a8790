// The runs of agents: one row a turn, with what it cost. A row is running only while its turn is; what a
// restart left running is discarded when the next turn of the same conversation or session begins.
import { randomUUID } from 'node:crypto';
import type { DayUse } from '@relay/core/agent/budget';
import { RelayError } from '@relay/core/errors';
import type { AccountId, InstanceId, RunId, SessionId } from '@relay/core/ids';
import { runId } from '@relay/core/ids';
import type { Taint } from '@relay/core/policy/facts';
import type { Spent } from '@relay/core/ports/turn';
import { dayIn } from '@relay/core/schedule/zone';
import { type RawBuilder, sql } from 'kysely';
import type { Reader, Transaction } from './database.ts';
import type { Lease } from './lease.ts';

export interface NewRun {
  readonly account: AccountId;
  readonly actor: string;
  /** Whose turn it is: a conversation's or a session's. */
  readonly of: { readonly instance: InstanceId } | { readonly session: SessionId };
  readonly epoch: number | null;
  /** The last line that it is shown. */
  readonly readUpTo: number | null;
  /** Whose text it is shown at its beginning. */
  readonly taint: Taint;
}

/**
 * The last statement of a turn's beginning, and the one that makes its commit quick: it is not waited for
 * until it is on the disk. A power cut may undo the last half second of beginnings, whose jobs are then
 * taken anew; the commit at the turn's end makes its beginning durable with it.
 */
export async function beginRun(tx: Transaction, run: NewRun): Promise<RunId> {
  const id = runId(randomUUID());
  const { account, of } = run;
  const column = sql.ref('instance' in of ? 'instance_id' : 'session_id');
  const owner = 'instance' in of ? of.instance : of.session;
  await sql`
    WITH quick AS MATERIALIZED (SELECT ${NOT_WAITING}),
      left_running AS (UPDATE runs SET state = 'discarded', ended_at = now()
        WHERE account_id = ${account} AND ${column} = ${owner} AND state = 'running')
    INSERT INTO runs (account_id, id, actor, ${column}, state, epoch, read_up_to, taint)
    SELECT ${account}::bigint, ${id}::uuid, ${run.actor}, ${owner}::uuid, 'running',
      ${run.epoch}::integer, ${run.readUpTo}::bigint, ${JSON.stringify(run.taint)}::jsonb FROM quick`.execute(
    tx,
  );
  return id;
}

/** For the transaction it is part of. */
const NOT_WAITING = sql`set_config('synchronous_commit', 'off', true)`;

export async function endRun(
  tx: Transaction,
  account: AccountId,
  run: RunId,
  state: 'done' | 'failed' | 'discarded',
  failure: string | null = null,
): Promise<void> {
  await tx
    .updateTable('runs')
    .set({ state, failure, ended_at: sql`now()` })
    .where('account_id', '=', account)
    .where('id', '=', run)
    .execute();
}

/** What time it is, and the zone whose midnight ends the owner's day; an IANA name. */
export interface OwnersClock {
  readonly now: () => Date;
  readonly zone: string;
}

export interface Spending {
  readonly run: RunId;
  readonly clock: OwnersClock;
  /** What is looked at with it: what the conversation or session had used before, as an expression. */
  readonly usedBefore: RawBuilder<number>;
}

/** This call included; `before` in tokens. Those of turns that failed or were discarded count too: they were paid for. */
export interface Used {
  readonly before: number;
  readonly day: DayUse;
}

/**
 * Adds what a call of the model cost. One statement under the lease, not waited for on its way to the disk:
 * of a turn that comes to its end nothing is lost, and a power cut in the middle of one costs the count of
 * its last half second.
 */
export async function noteSpent(
  db: Reader,
  { account, epoch }: Lease,
  { run, clock, usedBefore }: Spending,
  { provider, model, inputTokens, outputTokens, micros }: Spent,
): Promise<Used> {
  const tokens = inputTokens + outputTokens;
  const { rows } = await sql<Used>`
    WITH quick AS MATERIALIZED (SELECT ${NOT_WAITING}),
      held AS MATERIALIZED (SELECT l.account_id FROM account_leases l, quick
        WHERE l.account_id = ${account} AND l.epoch = ${epoch} FOR KEY SHARE OF l),
      run AS (UPDATE runs r SET provider = ${provider}, model = ${model}, steps = steps + 1,
          input_tokens = input_tokens + ${inputTokens}, output_tokens = output_tokens + ${outputTokens},
          cost_micros = cost_micros + ${micros}
        FROM held WHERE r.account_id = held.account_id AND r.id = ${run}),
      today AS (INSERT INTO spending AS s (account_id, day, tokens, micros)
        SELECT account_id, ${dayOf(clock)}, ${tokens}::bigint, ${micros}::bigint FROM held
        ON CONFLICT (account_id, day) DO UPDATE
          SET tokens = s.tokens + excluded.tokens, micros = s.micros + excluded.micros
        RETURNING tokens, micros)
    SELECT json_build_object('tokens', today.tokens, 'micros', today.micros) AS day, ${usedBefore} AS before
    FROM today`.execute(db);
  const used = rows[0];
  if (used === undefined) throw new RelayError('lease_lost');
  return used;
}

/** What a question cost that belongs to no turn: a run that begins and ends with its one call. */
export async function noteAside(
  db: Reader,
  { account, epoch }: Lease,
  {
    actor,
    clock,
    taint,
  }: { readonly actor: string; readonly clock: OwnersClock; readonly taint: Taint },
  { provider, model, inputTokens, outputTokens, micros }: Spent,
): Promise<void> {
  const { rows } = await sql`
    WITH held AS MATERIALIZED (SELECT l.account_id FROM account_leases l
        WHERE l.account_id = ${account} AND l.epoch = ${epoch} FOR KEY SHARE OF l),
      run AS (INSERT INTO runs (account_id, actor, provider, model, state, steps, input_tokens, output_tokens,
          cost_micros, ended_at, taint)
        SELECT account_id, ${actor}, ${provider}, ${model}, 'done', 1, ${inputTokens}::integer,
          ${outputTokens}::integer, ${micros}::bigint, now(), ${JSON.stringify(taint)}::jsonb FROM held)
    INSERT INTO spending AS s (account_id, day, tokens, micros)
      SELECT account_id, ${dayOf(clock)}, ${inputTokens + outputTokens}::bigint, ${micros}::bigint FROM held
      ON CONFLICT (account_id, day) DO UPDATE
        SET tokens = s.tokens + excluded.tokens, micros = s.micros + excluded.micros
      RETURNING tokens`.execute(db);
  if (rows.length === 0) throw new RelayError('lease_lost');
}

/** What all agents have used today, for the transaction that begins a turn. */
export const spentToday = (
  account: AccountId,
  clock: OwnersClock,
): RawBuilder<DayUse> => sql<DayUse>`
  (SELECT json_build_object('tokens', coalesce(sum(tokens), 0), 'micros', coalesce(sum(micros), 0))
    FROM spending WHERE account_id = ${account} AND day = ${dayOf(clock)})`;

const dayOf = ({ now, zone }: OwnersClock): RawBuilder<string> =>
  sql<string>`${dayIn(zone, now())}::date`;
