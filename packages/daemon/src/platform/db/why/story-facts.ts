// Reads the facts for stories of messages: model runs, approvals, and messages being sent.
import type {
  AccountId,
  ApprovalId,
  ChatId,
  ContactId,
  OutboxId,
  RunId,
  ScheduleId,
} from '@relay/contract/ids';
import { STOP_ACTION } from '@relay/core/ledger/rows';
import type { ApprovalAnswer, DeliveryFacts, RunFacts } from '@relay/core/ledger/story';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database.ts';

export async function readRun(
  db: Db,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<RunFacts | null> {
  const { rows } = await sql<RunFacts>`SELECT r.id, r.state, r.model FROM runs r
    WHERE r.account_id = ${account} AND ${which}
    ORDER BY r.state = 'done' DESC, CASE WHEN r.state = 'done' THEN r.started_at END, r.started_at DESC
    LIMIT 1`.execute(db);
  return rows[0] ?? null;
}

export const runById = (db: Db, account: AccountId, id: RunId | undefined) =>
  id === undefined ? Promise.resolve(null) : readRun(db, account, sql`r.id = ${id}`);

/** For `approvals a`: this one, or a later edit of it. */
const isApprovalOrEdit = (id: ApprovalId) => sql`(a.id = ${id} OR a.began_as = ${id})`;

/**
 * The final outcome of an approval, including its edits. An unanswered one is expired from its expiry on, whether or
 * not it was swept.
 */
export async function readApprovalAnswer(
  db: Db,
  account: AccountId,
  id: ApprovalId,
): Promise<ApprovalAnswer> {
  const { rows } = await sql<ApprovalAnswer>`
    SELECT a.id, a.began_as IS NOT NULL AS edited, a.decided_at AS "decidedAt", a.expires_at AS "expiresAt",
      CASE a.state WHEN 'expired' THEN a.answer END AS withdrawn,
      CASE WHEN a.state = 'pending' AND (a.expires_at <= now()
        OR i.state IN ('COMPLETED', 'ABANDONED', 'FAILED')) THEN 'expired' ELSE a.state END AS state
    FROM approvals a LEFT JOIN instances i ON i.account_id = a.account_id AND i.id = a.instance_id
    WHERE a.account_id = ${account} AND ${isApprovalOrEdit(id)}
    ORDER BY a.created_at DESC, a.id DESC LIMIT 1`.execute(db);
  return rows[0] ?? { ...GONE_APPROVAL, id };
}

const GONE_APPROVAL = {
  state: 'gone',
  edited: false,
  decidedAt: null,
  expiresAt: null,
  withdrawn: null,
} as const;

interface DeliveryFactsRow extends Omit<DeliveryFacts, 'waitsFor'> {
  readonly held: boolean;
  readonly paused: boolean;
}

/** For `outbox o JOIN permits p`, in the order they were written. */
export async function readDeliveries(
  db: Db,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<readonly DeliveryFacts[]> {
  const { rows } = await sql<DeliveryFactsRow>`
    SELECT o.id, o.message_id AS "messageId", o.state, o.in_doubt AS "inDoubt", o.failure,
      CASE o.state WHEN 'read' THEN o.read_at WHEN 'delivered' THEN o.delivered_at
        WHEN 'sent' THEN o.sent_at WHEN 'unknown' THEN o.unknown_since END AS at,
      (SELECT l.reason FROM ledger l WHERE l.account_id = o.account_id AND l.subject_kind = 'outbox'
        AND l.subject_id = o.id::text AND l.action = ${STOP_ACTION} ORDER BY l.seq DESC LIMIT 1) AS stop,
      EXISTS (SELECT FROM holds h WHERE h.account_id = o.account_id) AS held,
      p.actor LIKE 'conversation:%' AND coalesce(i.state = 'PAUSED', false) AS paused
    FROM outbox o JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
      LEFT JOIN instances i ON i.account_id = o.account_id AND i.id = o.instance_id
    WHERE o.account_id = ${account} AND ${which} ORDER BY o.seq`.execute(db);
  return rows.map(({ held, paused, ...facts }) => ({
    ...facts,
    waitsFor: held ? 'hold' : paused ? 'paused' : null,
  }));
}

export async function deliveryOfOutbox(
  db: Db,
  account: AccountId,
  id: OutboxId | undefined,
): Promise<DeliveryFacts | null> {
  if (id === undefined) return null;
  const [delivery] = await readDeliveries(db, account, sql`o.id = ${id}`);
  return delivery ?? null;
}

/** The message that the owner's approval released. */
export async function deliveryOfApproval(
  db: Db,
  account: AccountId,
  approval: ApprovalId,
): Promise<DeliveryFacts | null> {
  const became = sql`p.approval_id IN (SELECT a.id FROM approvals a
    WHERE a.account_id = ${account} AND ${isApprovalOrEdit(approval)})`;
  const [delivery] = await readDeliveries(db, account, became);
  return delivery ?? null;
}

/** The approval requested for exactly this content in this chat. */
export async function findApprovalByHash(
  db: Db,
  account: AccountId,
  chat: ChatId,
  hash: string,
): Promise<ApprovalAnswer | null> {
  const { rows } = await sql<{ id: ApprovalId }>`SELECT id FROM approvals
    WHERE account_id = ${account} AND intent->>'chat' = ${chat}
      AND ledger_commitment(${account}, 'chat', ${chat}, encode(intent_hash, 'hex')) = ${hash}
    ORDER BY created_at DESC LIMIT 1`.execute(db);
  const asked = rows[0];
  return asked === undefined ? null : readApprovalAnswer(db, account, asked.id);
}

// The outcome of an approval: who requested it, about whom, and what the answer released. Contains nothing of the text.

interface ApprovalOutcome extends ApprovalAnswer {
  /** As ledger and permits name them. */
  readonly requestedBy: string;
  readonly kind: string;
  readonly reason: string;
  readonly at: Date;
  readonly chat: ChatId | null;
  readonly contact: ContactId | null;
  readonly schedule: ScheduleId | null;
  readonly delivery: DeliveryFacts | null;
}

type ApprovalOutcomeRow = Omit<ApprovalOutcome, keyof ApprovalAnswer | 'delivery'>;

export async function findApprovalOutcome(
  db: Db,
  account: AccountId,
  id: ApprovalId,
): Promise<ApprovalOutcome | null> {
  const { rows } = await sql<ApprovalOutcomeRow>`
    SELECT a.requested_by AS "requestedBy", a.intent->>'kind' AS kind, a.reason, a.created_at AS at,
      coalesce(a.intent->>'chat', a.intent->'of'->>'chat')::uuid AS chat,
      (a.intent->'of'->>'contact')::uuid AS contact,
      (SELECT s.id FROM schedules s WHERE s.account_id = a.account_id AND s.approval_id = a.id LIMIT 1) AS schedule
    FROM approvals a WHERE a.account_id = ${account} AND a.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const [answer, delivery] = await Promise.all([
    readApprovalAnswer(db, account, id),
    deliveryOfApproval(db, account, id),
  ]);
  return { ...row, ...answer, delivery };
}

/** Of messages being sent, those that this actor caused. */
export async function filterOutboxByActor(
  db: Db,
  account: AccountId,
  actor: string,
  messages: readonly OutboxId[],
): Promise<ReadonlySet<OutboxId>> {
  if (messages.length === 0) return new Set();
  const { rows } = await sql<{ id: OutboxId }>`
    SELECT o.id FROM outbox o JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
    WHERE o.account_id = ${account} AND o.id = ANY(${messages}::uuid[]) AND p.actor = ${actor}`.execute(
    db,
  );
  return new Set(rows.map(({ id }) => id));
}
