// Questions that somebody else than the owner takes back, because what was asked is no longer wanted: they
// are expired from that moment on, with a sentence that says why.
import type { AccountId, ApprovalId, ScheduleId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Transaction } from '../store/database.ts';
import { appendEvents } from '../store/events.ts';

/** All that this one asked, as ledger and permits name them, or that are about this schedule, and that still waited. */
export async function withdrawQuestions(
  tx: Transaction,
  account: AccountId,
  about: { readonly requestedBy: string } | { readonly schedule: ScheduleId },
  why: string,
): Promise<readonly ApprovalId[]> {
  const asked =
    'schedule' in about
      ? sql`(schedule_id = ${about.schedule} OR intent->>'schedule' = ${about.schedule})`
      : sql`requested_by = ${about.requestedBy}`;
  const { rows } = await sql<{ id: ApprovalId }>`
    UPDATE approvals SET state = 'expired', decided_at = now(), answer = ${why}
    WHERE account_id = ${account} AND state = 'pending' AND ${asked}
    RETURNING id`.execute(tx);
  const withdrawn = rows.map(({ id }) => id);
  if (rows.length === 0) return withdrawn;
  await appendEvents(
    tx,
    account,
    withdrawn.map((id) => ({ kind: 'approval', subject: id, data: { state: 'expired' } })),
  );
  return withdrawn;
}
