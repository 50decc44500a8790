// Stores the runs of agents: one row for each turn, with its cost. A row is running only while its turn is; what a
// restart left running is discarded when the next turn of the same conversation or session begins.
import { randomUUID } from 'node:crypto';
import type { ModelUse } from '@relay/contract/api/status';
import { RelayError } from '@relay/contract/errors';
import {
  type AccountId,
  type ChatId,
  type InstanceId,
  type RunId,
  runId,
  type SessionId,
} from '@relay/contract/ids';
import type { DayUse } from '@relay/core/agent/budget';
import { joinTaints, type Taint, UNTAINTED } from '@relay/core/policy/facts';
import type { ModelUsage } from '@relay/core/ports/agent-turn';
import { dayIn } from '@relay/core/schedule/zone';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Transaction } from './database.ts';
import { type Lease, SHARED_EPOCH } from './lease.ts';

interface NewRun {
  readonly account: AccountId;
  readonly actor: string;
  /** Whose turn it is: a conversation's or a session's. */
  readonly owner: { readonly instance: InstanceId } | { readonly session: SessionId };
  readonly epoch: number | null;
  /** The last line that it is shown. */
  readonly readUpTo: number | null;
  /** Whose text it is shown at its beginning. */
  readonly taint: Taint;
}

/**
 * The last statement of a turn's beginning. It makes the commit fast by not waiting for the disk: a power cut may undo
 * the last half second of beginnings, whose jobs then run again; the commit at the turn's end makes its beginning
 * durable too.
 */
export async function beginRun(tx: Transaction, run: NewRun): Promise<RunId> {
  const id = runId(randomUUID());
  const { account, owner } = run;
  const column = sql.ref('instance' in owner ? 'instance_id' : 'session_id');
  const ownerId = 'instance' in owner ? owner.instance : owner.session;
  await sql`
    WITH quick AS MATERIALIZED (SELECT ${ASYNC_COMMIT_SQL}),
      left_running AS (UPDATE runs SET state = 'discarded', ended_at = now()
        WHERE account_id = ${account} AND ${column} = ${ownerId} AND state = 'running')
    INSERT INTO runs (account_id, id, actor, ${column}, state, epoch, read_up_to, taint)
    SELECT ${account}::bigint, ${id}::uuid, ${run.actor}, ${ownerId}::uuid, 'running',
      ${run.epoch}::integer, ${run.readUpTo}::bigint, ${JSON.stringify(run.taint)}::jsonb FROM quick`.execute(
    tx,
  );
  return id;
}

/** For the current transaction only. */
const ASYNC_COMMIT_SQL = sql`set_config('synchronous_commit', 'off', true)`;

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

/** The current time, and the IANA zone whose midnight ends the owner's day. */
export interface OwnerClock {
  readonly now: () => Date;
  readonly zone: string;
}

interface RunSpending {
  readonly run: RunId;
  readonly clock: OwnerClock;
  /** What the conversation or session had used before, as an expression that is read in the same query. */
  readonly usedBefore: RawBuilder<number>;
}

/** Includes this call; `before` is in tokens. Failed and discarded turns count too: they were paid for. */
interface TokensUsed {
  readonly before: number;
  readonly day: DayUse;
}

/**
 * Adds the cost of a model call. One statement under the lease that does not wait for the disk: a turn that ends loses
 * nothing, and a power cut during one loses the count of its last half second.
 */
export async function noteRunSpending(
  db: Db,
  { account, epoch }: Lease,
  { run, clock, usedBefore }: RunSpending,
  { provider, model, inputTokens, outputTokens, micros }: ModelUsage,
): Promise<TokensUsed> {
  const tokens = inputTokens + outputTokens;
  const { rows } = await sql<TokensUsed>`
    WITH quick AS MATERIALIZED (SELECT ${ASYNC_COMMIT_SQL}),
      held AS MATERIALIZED (SELECT l.account_id FROM account_leases l, quick
        WHERE l.account_id = ${account} AND l.epoch = ${epoch} FOR KEY SHARE OF l),
      run AS (UPDATE runs r SET provider = ${provider}, model = ${model}, steps = steps + 1,
          input_tokens = input_tokens + ${inputTokens}, output_tokens = output_tokens + ${outputTokens},
          cost_micros = cost_micros + ${micros}
        FROM held WHERE r.account_id = held.account_id AND r.id = ${run}),
      today AS (${addSpendingSql(sql`held`, clock, { tokens, micros })})
    SELECT json_build_object('tokens', today.tokens, 'micros', today.micros) AS day, ${usedBefore} AS before
    FROM today`.execute(db);
  const used = rows[0];
  if (used === undefined) throw new RelayError('lease_lost');
  return used;
}

/** The cost of a call that belongs to no turn: a run that begins and ends with its one call. */
export async function noteSingleCallRun(
  db: Db,
  { account, epoch }: Lease,
  {
    actor,
    clock,
    taint,
  }: { readonly actor: string; readonly clock: OwnerClock; readonly taint: Taint },
  { provider, model, inputTokens, outputTokens, micros }: ModelUsage,
): Promise<void> {
  const { rows } = await sql`
    WITH held AS MATERIALIZED (SELECT l.account_id FROM account_leases l
        WHERE l.account_id = ${account} AND (l.epoch = ${epoch} OR ${epoch} = ${SHARED_EPOCH})
        FOR KEY SHARE OF l),
      run AS (INSERT INTO runs (account_id, actor, provider, model, state, steps, input_tokens, output_tokens,
          cost_micros, ended_at, taint)
        SELECT account_id, ${actor}, ${provider}, ${model}, 'done', 1, ${inputTokens}::integer,
          ${outputTokens}::integer, ${micros}::bigint, now(), ${JSON.stringify(taint)}::jsonb FROM held)
    ${addSpendingSql(sql`held`, clock, { tokens: inputTokens + outputTokens, micros })}`.execute(
    db,
  );
  if (rows.length === 0) throw new RelayError('lease_lost');
}

/** A cost outside the model calls of a run. */
export async function noteSpending(
  tx: Transaction,
  account: AccountId,
  clock: OwnerClock,
  micros: number,
): Promise<void> {
  const given = sql`(VALUES (${account}::bigint)) AS given (account_id)`;
  await addSpendingSql(given, clock, { tokens: 0, micros }).execute(tx);
}

/** Adds to the day of the account in `from`, and returns what the day has used then. */
const addSpendingSql = (
  from: RawBuilder<unknown>,
  clock: OwnerClock,
  { tokens, micros }: DayUse,
): RawBuilder<DayUse> => sql<DayUse>`
  INSERT INTO spending AS s (account_id, day, tokens, micros)
    SELECT account_id, ${dayOf(clock)}, ${tokens}::bigint, ${micros}::bigint FROM ${from}
    ON CONFLICT (account_id, day) DO UPDATE
      SET tokens = s.tokens + excluded.tokens, micros = s.micros + excluded.micros
    RETURNING s.tokens, s.micros`;

/** Tokens all agents have used today, for the transaction that begins a turn. */
export const spentTodaySql = (
  account: AccountId,
  clock: OwnerClock,
): RawBuilder<DayUse> => sql<DayUse>`
  (SELECT json_build_object('tokens', coalesce(sum(tokens), 0), 'micros', coalesce(sum(micros), 0))
    FROM spending WHERE account_id = ${account} AND day = ${dayOf(clock)})`;

const dayOf = ({ now, zone }: OwnerClock): RawBuilder<string> =>
  sql<string>`${dayIn(zone, now())}::date`;

// Stores whose text a run has read: whatever continues from its words has read it too. Written before a model sees the
// text, so that a crash cannot lose it.

export async function saveRunTaint(
  tx: Transaction,
  account: AccountId,
  run: RunId,
  taint: Taint,
): Promise<void> {
  await tx
    .updateTable('runs')
    .set({ taint: JSON.stringify(taint) })
    .where('account_id', '=', account)
    .where('id', '=', run)
    .execute();
}

/** Of all these runs together. A run of which nothing is known may have read anything. */
export async function taintOfRuns(
  db: Db,
  account: AccountId,
  runs: readonly RunId[],
): Promise<Taint> {
  if (runs.length === 0) return UNTAINTED;
  const { rows } = await sql<{ taint: Partial<Taint> | null }>`
    SELECT DISTINCT r.taint FROM unnest(${[...new Set(runs)]}::uuid[]) AS wanted(id)
      LEFT JOIN runs r ON r.account_id = ${account} AND r.id = wanted.id`.execute(db);
  return rows.reduce<Taint>(
    (all, { taint }) =>
      joinTaints(all, {
        chats: (taint?.chats ?? []) as readonly ChatId[],
        outside: taint?.outside ?? true,
        clients: taint?.clients ?? [],
      }),
    UNTAINTED,
  );
}

/**
 * The taint of a text's author, as the ledger names them: a client; an assistant, with what it had read; the owner, who
 * taints nothing.
 */
export async function taintOfAuthors(
  db: Db,
  account: AccountId,
  authors: readonly string[],
): Promise<Taint> {
  const ids = (kind: string) =>
    authors.flatMap((by) => (by.startsWith(`${kind}:`) ? by.slice(kind.length + 1) : []));
  const read = await taintOfRuns(db, account, ids('assistant').map(runId));
  return joinTaints(read, { ...UNTAINTED, clients: ids('token') });
}

// Model usage since a moment, summed by the kind of actor and the outcome. Only by kind: ids of conversations would
// create a metrics series for each.

export async function readModelUse(db: Db, account: AccountId, since: Date): Promise<ModelUse[]> {
  const { rows } = await sql<ModelUse>`
    SELECT split_part(actor, ':', 1) AS actor, state, count(*) AS count,
      sum(input_tokens) AS input, sum(output_tokens) AS output,
      coalesce(sum(extract(epoch FROM ended_at - started_at)), 0)::float8 AS took
    FROM runs WHERE account_id = ${account} AND started_at >= ${since}
    GROUP BY 1, 2 ORDER BY 1, 2`.execute(db);
  return rows;
}
