// What became of a question to the owner: whose it was, about whom, and what their answer let go. Nothing of
// what was asked is in it.
import type {
  AccountId,
  ApprovalId,
  ChatId,
  ContactId,
  OutboxId,
  ScheduleId,
} from '@relay/core/ids';
import type { ApprovalAnswer, DeliveryFacts } from '@relay/core/ledger/story';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';
import { deliveryApproved, readApproval } from './parts.ts';

export interface AskedQuestion extends ApprovalAnswer {
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

type Row = Omit<AskedQuestion, keyof ApprovalAnswer | 'delivery'>;

export async function findQuestion(
  db: Reader,
  account: AccountId,
  id: ApprovalId,
): Promise<AskedQuestion | null> {
  const { rows } = await sql<Row>`
    SELECT a.requested_by AS "requestedBy", a.intent->>'kind' AS kind, a.reason, a.created_at AS at,
      coalesce(a.intent->>'chat', a.intent->'of'->>'chat')::uuid AS chat,
      (a.intent->'of'->>'contact')::uuid AS contact,
      (SELECT s.id FROM schedules s WHERE s.account_id = a.account_id AND s.approval_id = a.id LIMIT 1) AS schedule
    FROM approvals a WHERE a.account_id = ${account} AND a.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const [answer, delivery] = await Promise.all([
    readApproval(db, account, id),
    deliveryApproved(db, account, id),
  ]);
  return { ...row, ...answer, delivery };
}

/** Of messages on their way, those that this one caused. */
export async function causedBy(
  db: Reader,
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
