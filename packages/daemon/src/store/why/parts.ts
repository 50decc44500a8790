// What the stories of messages are made of: model runs, approvals, and messages on their way.
import type { AccountId, ApprovalId, ChatId, OutboxId, RunId } from '@relay/core/ids';
import { STOP_ACTION } from '@relay/core/ledger/stops';
import type { ApprovalAnswer, DeliveryFacts, RunFacts } from '@relay/core/ledger/story';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../database.ts';

export async function readRun(
  db: Reader,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<RunFacts | null> {
  const { rows } = await sql<RunFacts>`SELECT r.id, r.state, r.model FROM runs r
    WHERE r.account_id = ${account} AND ${which}
    ORDER BY r.state = 'done' DESC, CASE WHEN r.state = 'done' THEN r.started_at END, r.started_at DESC
    LIMIT 1`.execute(db);
  return rows[0] ?? null;
}

export const runById = (db: Reader, account: AccountId, id: RunId | undefined) =>
  id === undefined ? Promise.resolve(null) : readRun(db, account, sql`r.id = ${id}`);

/** Of `approvals a`: this one, or what it became as its words were changed. */
const BECAME = (id: ApprovalId) => sql`(a.id = ${id} OR a.began_as = ${id})`;

/**
 * What became of it in the end, whatever words it had then. One that nobody answered in time is expired from that
 * moment on, swept or not.
 */
export async function readApproval(
  db: Reader,
  account: AccountId,
  id: ApprovalId,
): Promise<ApprovalAnswer> {
  const { rows } = await sql<ApprovalAnswer>`
    SELECT a.id, a.began_as IS NOT NULL AS edited, a.decided_at AS "decidedAt", a.expires_at AS "expiresAt",
      CASE a.state WHEN 'expired' THEN a.answer END AS withdrawn,
      CASE WHEN a.state = 'pending' AND (a.expires_at <= now()
        OR i.state IN ('COMPLETED', 'ABANDONED', 'FAILED')) THEN 'expired' ELSE a.state END AS state
    FROM approvals a LEFT JOIN instances i ON i.account_id = a.account_id AND i.id = a.instance_id
    WHERE a.account_id = ${account} AND ${BECAME(id)}
    ORDER BY a.created_at DESC, a.id DESC LIMIT 1`.execute(db);
  return rows[0] ?? { ...GONE, id };
}

const GONE = {
  state: 'gone',
  edited: false,
  decidedAt: null,
  expiresAt: null,
  withdrawn: null,
} as const;

interface Row extends Omit<DeliveryFacts, 'waitsFor'> {
  readonly held: boolean;
  readonly paused: boolean;
}

/** Of `outbox o JOIN permits p`, in the order they were written. */
export async function readDeliveries(
  db: Reader,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<readonly DeliveryFacts[]> {
  const { rows } = await sql<Row>`
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

export async function deliveryOf(
  db: Reader,
  account: AccountId,
  id: OutboxId | undefined,
): Promise<DeliveryFacts | null> {
  if (id === undefined) return null;
  const [delivery] = await readDeliveries(db, account, sql`o.id = ${id}`);
  return delivery ?? null;
}

/** What the owner's yes let go. */
export async function deliveryApproved(
  db: Reader,
  account: AccountId,
  approval: ApprovalId,
): Promise<DeliveryFacts | null> {
  const became = sql`p.approval_id IN (SELECT a.id FROM approvals a
    WHERE a.account_id = ${account} AND ${BECAME(approval)})`;
  const [delivery] = await readDeliveries(db, account, became);
  return delivery ?? null;
}

/** The approval that was asked for with exactly this, in this chat. */
export async function approvalAsked(
  db: Reader,
  account: AccountId,
  chat: ChatId,
  hash: string,
): Promise<ApprovalAnswer | null> {
  const { rows } = await sql<{ id: ApprovalId }>`SELECT id FROM approvals
    WHERE account_id = ${account} AND intent->>'chat' = ${chat}
      AND ledger_commitment(${account}, 'chat', ${chat}, encode(intent_hash, 'hex')) = ${hash}
    ORDER BY created_at DESC LIMIT 1`.execute(db);
  const asked = rows[0];
  return asked === undefined ? null : readApproval(db, account, asked.id);
}
