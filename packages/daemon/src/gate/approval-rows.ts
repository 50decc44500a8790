// What waits for a person, as rows. A row is bound to the hash of what was shown; asking the same again
// while it waits is the same row with its time begun anew.
import type { ApprovalState } from '@relay/core/api/approvals';
import { RelayError } from '@relay/core/errors';
import type { AccountId, ApprovalId, InstanceId, RunId, ScheduleId } from '@relay/core/ids';
import type { ApprovalFacts } from '@relay/core/policy/facts';
import type { ReasonCode } from '@relay/core/policy/reasons';
import { type Selectable, sql } from 'kysely';
import type { Transaction } from '../store/database.ts';
import { appendEvent } from '../store/events.ts';
import type { Tables } from '../store/tables.ts';
import { STATE } from './approval-list.ts';
import { type Askable, hashOf, wellFormed } from './proposals.ts';

export type ApprovalRow = Selectable<Tables['approvals']>;

/** An answer later than this is to a question nobody remembers. */
const EXPIRES_AFTER = '3 days';

export interface NewQuestion {
  readonly proposal: Askable;
  readonly reason: ReasonCode;
  readonly requestedBy: string;
  readonly instance: InstanceId | null;
  readonly run: RunId | null;
  readonly schedule: ScheduleId | null;
  /** What it was before its words were changed. */
  readonly beganAs: ApprovalId | null;
}

export interface AskedPerson {
  readonly id: ApprovalId;
  /** False when the same was asked before and still waits. */
  readonly fresh: boolean;
  /** It stands in full in the owner's chat. */
  readonly noticed: boolean;
}

export async function askPerson(
  tx: Transaction,
  account: AccountId,
  { proposal, reason, requestedBy, instance, run, schedule, beganAs }: NewQuestion,
): Promise<AskedPerson> {
  const { rows } = await sql<AskedPerson>`
    INSERT INTO approvals (account_id, intent, intent_hash, reason, requested_by, instance_id, run_id,
      schedule_id, began_as, expires_at)
    VALUES (${account}, ${JSON.stringify(wellFormed(proposal))}::jsonb, ${Buffer.from(hashOf(proposal), 'hex')},
      ${reason}, ${requestedBy}, ${instance}, ${run}, ${schedule}, ${beganAs}, now() + ${EXPIRES_AFTER}::interval)
    ON CONFLICT (account_id, intent_hash, requested_by) WHERE state = 'pending'
      DO UPDATE SET expires_at = excluded.expires_at, reason = excluded.reason,
        began_as = coalesce(approvals.began_as, excluded.began_as)
    RETURNING id, xmax = 0 AS fresh, notice_id IS NOT NULL AS noticed`.execute(tx);
  const asked = rows[0];
  if (asked === undefined) throw new Error('a question without a row');
  await appendEvent(tx, account, {
    kind: 'approval',
    subject: asked.id,
    data: { state: 'pending', reason, instance, fresh: asked.fresh },
  });
  return asked;
}

export interface Question {
  readonly row: ApprovalRow;
  readonly proposal: Askable;
  readonly instance: Pick<
    Selectable<Tables['instances']>,
    'id' | 'chat_id' | 'contact_id' | 'state'
  > | null;
}

/** The conversation first, as everybody locks them; expired is what has run out, swept or not. */
export async function lockQuestion(
  tx: Transaction,
  account: AccountId,
  id: ApprovalId,
): Promise<Question> {
  const instance = await tx
    .selectFrom('instances')
    .select(['id', 'chat_id', 'contact_id', 'state'])
    .where('account_id', '=', account)
    .where('id', '=', (eb) =>
      eb
        .selectFrom('approvals')
        .select('instance_id')
        .where('account_id', '=', account)
        .where('id', '=', id),
    )
    .forUpdate()
    .executeTakeFirst();
  const { rows } = await sql<ApprovalRow>`
    SELECT a.*, ${STATE} AS state FROM approvals a
      LEFT JOIN instances i ON i.account_id = a.account_id AND i.id = a.instance_id
    WHERE a.account_id = ${account} AND a.id = ${id} FOR UPDATE OF a`.execute(tx);
  const row = rows[0];
  if (row === undefined) throw new RelayError('approval_not_found', { id });
  return { row, proposal: row.intent as unknown as Askable, instance: instance ?? null };
}

export async function answerRow(
  tx: Transaction,
  account: AccountId,
  id: ApprovalId,
  state: ApprovalState,
  answer: string | null,
): Promise<void> {
  await tx
    .updateTable('approvals')
    .set({ state, answer, decided_at: state === 'pending' ? null : new Date() })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .execute();
}

/** The owner's yes as a fact; null while there is none. Locked: it is good for once. */
export async function readApproval(
  tx: Transaction,
  account: AccountId,
  id: ApprovalId,
): Promise<ApprovalFacts | null> {
  const row = await tx
    .selectFrom('approvals')
    .select(['intent_hash', 'used_at'])
    .where('account_id', '=', account)
    .where('id', '=', id)
    .where('state', '=', 'approved')
    .forUpdate()
    .executeTakeFirst();
  return row === undefined
    ? null
    : { hash: row.intent_hash.toString('hex'), spent: row.used_at !== null };
}

export async function spendApproval(
  tx: Transaction,
  account: AccountId,
  id: ApprovalId,
): Promise<void> {
  await tx
    .updateTable('approvals')
    .set({ used_at: new Date() })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .execute();
}
