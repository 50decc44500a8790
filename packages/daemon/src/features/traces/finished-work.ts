// Reads finished work: agents' turns with their tool calls and decisions, and sent messages.
// Invariant: no column that contains text or identifies a person is read here.
import type {
  AccountId,
  ChatId,
  InstanceId,
  OutboxId,
  RunId,
  ScheduleId,
} from '@relay/contract/ids';
import { ANSWER_ACTION, STOP_ACTION } from '@relay/core/ledger/rows';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Transaction } from '../../platform/db/database.ts';

export interface TracedTurn {
  readonly id: RunId;
  /** Only the kind of actor. */
  readonly actor: string;
  readonly state: string;
  readonly provider: string | null;
  readonly model: string | null;
  readonly steps: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly conversation: InstanceId | null;
  readonly chat: ChatId | null;
  /** When the answered message was stored; null when no message caused the turn. */
  readonly heardAt: Date | null;
}

interface TracedCall {
  readonly run: RunId;
  readonly call: string;
  readonly name: string;
  readonly at: Date;
}

export interface TracedDecision {
  readonly seq: number;
  readonly at: Date;
  readonly action: string;
  readonly outcome: string;
  readonly reason: string;
}

export interface TracedMessage {
  readonly id: OutboxId;
  readonly run: RunId | null;
  readonly actor: string;
  readonly conversation: InstanceId | null;
  readonly chat: ChatId;
  readonly schedule: ScheduleId | null;
  readonly state: string;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly attemptedAt: Date | null;
  readonly sentAt: Date | null;
  readonly deliveredAt: Date | null;
  readonly readAt: Date | null;
  readonly decision: TracedDecision;
  /** Why and when the re-check stopped it. */
  readonly stop: { readonly reason: string; readonly at: string } | null;
}

export interface FinishedWork {
  readonly turns: readonly TracedTurn[];
  readonly calls: readonly TracedCall[];
  readonly decisions: readonly (TracedDecision & { readonly run: RunId })[];
  /** The messages of these turns, and others that have no turn or came after their turn was sent. */
  readonly messages: readonly TracedMessage[];
}

/** A receipt comes shortly after the ack. A turn is sent only after its messages were sent, or after a minute. */
const SETTLED = sql`(o.state IN ('failed', 'delivered', 'read')
  OR (o.state = 'sent' AND o.sent_at < now() - interval '3 seconds')
  OR o.created_at < now() - interval '23 hours')`;
const PATIENCE = sql`interval '1 minute'`;

export async function readFinishedWork(
  db: Db,
  account: AccountId,
  progress: TraceProgress,
  limit: number,
): Promise<FinishedWork> {
  const turns = await finishedTurns(db, account, progress, limit);
  const runs = turns.map(({ id }) => id);
  const messages = await settledMessages(db, account, progress, runs, limit);
  if (runs.length === 0) return { turns, calls: [], decisions: [], messages };
  const [calls, decisions] = await Promise.all([
    sql<TracedCall>`SELECT run_id AS run, call_id AS call, name, at FROM tool_calls
      WHERE account_id = ${account} AND run_id = ANY(${runs}::uuid[]) ORDER BY at, call_id`.execute(
      db,
    ),
    sql<FinishedWork['decisions'][number]>`
      SELECT l.seq, l.detail->>'run' AS run, l.at, l.action, l.outcome, l.reason FROM ledger l
      WHERE l.account_id = ${account} AND l.seq > ${progress.ledgerSeq}
        AND l.detail->>'run' = ANY(${runs}::text[]) ORDER BY l.seq`.execute(db),
  ]);
  return { turns, calls: calls.rows, decisions: decisions.rows, messages };
}

/** The ledger also contains the outcome for the answered message, which is not a decision of the gate. */
export const isGateDecision = ({ action }: Pick<TracedDecision, 'action'>): boolean =>
  action !== ANSWER_ACTION;

async function finishedTurns(
  db: Db,
  account: AccountId,
  { since }: TraceProgress,
  limit: number,
): Promise<readonly TracedTurn[]> {
  const { rows } = await sql<TracedTurn>`
    SELECT r.id, split_part(r.actor, ':', 1) AS actor, r.state, r.provider, r.model, r.steps,
      r.input_tokens AS "inputTokens", r.output_tokens AS "outputTokens", r.started_at AS "startedAt",
      r.ended_at AS "endedAt", r.instance_id AS conversation, coalesce(i.chat_id, s.chat_id) AS chat,
      heard.at AS "heardAt"
    FROM runs r
      LEFT JOIN sessions s ON s.account_id = r.account_id AND s.id = r.session_id
      LEFT JOIN instances i ON i.account_id = r.account_id AND i.id = r.instance_id
      LEFT JOIN LATERAL (
        SELECT coalesce(m.received_at, l.at) AS at FROM (
          SELECT l.message_id, l.at, s.chat_id FROM session_messages l WHERE l.account_id = r.account_id
            AND l.session_id = r.session_id AND l.id = r.read_up_to AND l.role = 'user'
          UNION ALL SELECT l.message_id, l.at, i.chat_id FROM instance_messages l
            WHERE l.account_id = r.account_id AND l.instance_id = r.instance_id AND l.id = r.read_up_to
              AND l.role = 'contact'
          UNION ALL SELECT NULL, q.created_at, NULL FROM observer_requests q
            WHERE s.kind = 'observer' AND q.account_id = r.account_id AND q.run_id = r.id
        ) l LEFT JOIN message_keys k ON k.account_id = r.account_id AND k.message_id = l.message_id
            AND k.chat_id = l.chat_id
          LEFT JOIN messages m ON m.account_id = k.account_id AND m.sent_at = k.sent_at AND m.id = k.id
        LIMIT 1) heard ON true
    WHERE r.account_id = ${account} AND r.started_at >= ${since} AND r.ended_at IS NOT NULL AND NOT ${isTracedSql('r')}
      AND (r.ended_at < now() - ${PATIENCE} OR NOT EXISTS (SELECT FROM outbox o
        JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
        WHERE o.account_id = r.account_id AND o.created_at >= r.started_at AND p.run_id = r.id AND NOT ${SETTLED}))
    ORDER BY r.started_at LIMIT ${limit}`.execute(db);
  return rows;
}

/** Messages of these turns, or of no turn that is still to be sent. */
async function settledMessages(
  db: Db,
  account: AccountId,
  { since }: TraceProgress,
  runs: readonly RunId[],
  limit: number,
): Promise<readonly TracedMessage[]> {
  const { rows } = await sql<Omit<TracedMessage, 'decision'> & TracedDecision>`
    SELECT o.id, p.run_id AS run, split_part(p.actor, ':', 1) AS actor, o.instance_id AS conversation,
      o.chat_id AS chat, p.schedule_id AS schedule, o.state, o.attempts, o.created_at AS "createdAt",
      o.attempted_at AS "attemptedAt", o.sent_at AS "sentAt", o.delivered_at AS "deliveredAt", o.read_at AS "readAt",
      l.seq, l.at, l.action, l.outcome, l.reason,
      (SELECT jsonb_build_object('reason', x.reason, 'at', x.at) FROM ledger x WHERE x.account_id = o.account_id
        AND x.subject_kind = 'outbox' AND x.subject_id = o.id::text AND x.action = ${STOP_ACTION}
        ORDER BY x.seq DESC LIMIT 1) AS stop
    FROM outbox o JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
      JOIN ledger l ON l.account_id = p.account_id AND l.seq = p.ledger_seq
    WHERE o.account_id = ${account} AND o.created_at >= ${since} AND ${SETTLED} AND NOT ${isTracedSql('o')}
      AND (p.run_id IS NULL OR p.run_id = ANY(${runs}::uuid[]) OR NOT EXISTS (SELECT FROM runs r
        WHERE r.account_id = p.account_id AND r.id = p.run_id AND r.started_at >= ${since} AND NOT ${isTracedSql('r')}))
    ORDER BY p.run_id = ANY(${runs}::uuid[]) DESC NULLS LAST, o.created_at LIMIT ${10 * limit}`.execute(
    db,
  );
  return rows.map(({ seq, at, action, outcome, reason, ...message }) => ({
    ...message,
    decision: { seq, at, action, outcome, reason },
  }));
}

// The progress of the trace export. Turns may end in another order than they began and commit in yet another, so there
// is not a single position: what was sent is stored by id, and `since` follows.
// Invariant: work that began after `since` is sent once, also across restarts.

interface TraceProgress {
  /** A random id of this home. */
  readonly instance: string;
  readonly since: Date;
  readonly ledgerSeq: number;
}

interface TracedItem {
  readonly id: string;
  /** When it began. */
  readonly at: Date;
}

/** Milliseconds, because values read here are written back and compared. */
const inThousandths = (at: RawBuilder<unknown>): RawBuilder<Date> =>
  sql<Date>`date_trunc('milliseconds', ${at})`;

/** Continues at the stored progress, or from now on if there was no collector before. */
export async function beginTracing(tx: Transaction, account: AccountId): Promise<void> {
  await sql`INSERT INTO trace_progress AS p (account_id, since, ledger_seq)
    VALUES (${account}, ${inThousandths(sql`now() + interval '1 millisecond'`)}, (SELECT seq FROM ledger_heads WHERE account_id = ${account}))
    ON CONFLICT (account_id) DO UPDATE SET since = excluded.since, ledger_seq = excluded.ledger_seq
      WHERE p.since IS NULL`.execute(tx);
}

export async function readTraceProgress(db: Db, account: AccountId): Promise<TraceProgress | null> {
  const { rows } = await sql<TraceProgress>`
    SELECT instance, since, ledger_seq AS "ledgerSeq" FROM trace_progress
    WHERE account_id = ${account} AND since IS NOT NULL`.execute(db);
  return rows[0] ?? null;
}

/** Whether the row named `alias` was sent. */
const isTracedSql = (alias: 'r' | 'o'): RawBuilder<boolean> => sql<boolean>`
  EXISTS (SELECT FROM traced t WHERE t.account_id = ${sql.ref(`${alias}.account_id`)}
    AND t.id = ${sql.ref(`${alias}.id`)})`;

export async function markTraced(
  tx: Transaction,
  account: AccountId,
  items: readonly TracedItem[],
): Promise<void> {
  await sql`INSERT INTO traced (account_id, id, at)
    SELECT ${account}::bigint, * FROM unnest(${items.map(({ id }) => id)}::uuid[],
      ${items.map(({ at }) => at.toISOString())}::timestamptz[])
    ON CONFLICT DO NOTHING`.execute(tx);
}

/** An open transaction may still add work that began before now; none takes this long. */
const OVERLAP = sql`interval '10 minutes'`;

/**
 * Moves `since` to the oldest work that was not sent yet. Work older than a day is given up. When the clock is set
 * back, `since` moves back with it.
 */
export async function advanceTracing(tx: Transaction, account: AccountId): Promise<void> {
  await sql`
    WITH next AS (SELECT p.account_id, ${inThousandths(sql`greatest(least(p.since, now()), now() - interval '1 day', least(
        now() - ${OVERLAP},
        (SELECT min(r.started_at) FROM runs r WHERE r.account_id = p.account_id
          AND r.started_at >= p.since AND NOT ${isTracedSql('r')}),
        (SELECT min(o.created_at) FROM outbox o WHERE o.account_id = p.account_id
          AND o.created_at >= p.since AND NOT ${isTracedSql('o')})))`)} AS since
      FROM trace_progress p WHERE p.account_id = ${account} AND p.since IS NOT NULL)
    UPDATE trace_progress p SET since = next.since, ledger_seq = coalesce((SELECT max(l.seq) FROM ledger l
        WHERE l.account_id = p.account_id AND l.seq > p.ledger_seq AND l.at < next.since - ${OVERLAP}), p.ledger_seq)
    FROM next WHERE p.account_id = next.account_id`.execute(tx);
  await sql`DELETE FROM traced t USING trace_progress p
    WHERE t.account_id = ${account} AND p.account_id = t.account_id AND t.at < p.since`.execute(tx);
}
