// What a scheduler's message fulfils, looked up when it is submitted and again before it leaves: its hash is
// made from the schedule as it stands, so that a schedule that was changed or cancelled permits nothing; nor
// does one whose program could not make it any more.
import type { AccountId, ChatId, ScheduleId } from '@relay/core/ids';
import type { ScheduleFacts } from '@relay/core/policy/facts';
import { SCOPE_FOR } from '@relay/core/policy/power';
import { sql } from 'kysely';
import type { Transaction } from '../store/database.ts';
import { contentHash } from '../store/intent-hash.ts';
import { isGood, isProgram } from '../store/tokens.ts';

export interface KnownSchedule extends ScheduleFacts {
  readonly cancelled: boolean;
}

export async function readSchedules(
  tx: Transaction,
  account: AccountId,
  ids: readonly ScheduleId[],
): Promise<ReadonlyMap<ScheduleId, KnownSchedule>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<ScheduleRow>`
    SELECT s.id, s.chat_id, s.body, s.created_by, s.approval_id, s.state, ${PROGRAM_GONE} AS program_gone
    FROM schedules s WHERE s.account_id = ${account} AND s.id = ANY(${ids}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, factsOf(row)]));
}

export async function isScheduledBy(
  tx: Transaction,
  account: AccountId,
  id: ScheduleId,
  actor: string,
): Promise<boolean> {
  const row = await tx
    .selectFrom('schedules')
    .select('created_by')
    .where('account_id', '=', account)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.created_by === actor;
}

/** Of `schedules s`. */
const PROGRAM_GONE = sql`s.created_by LIKE 'token:%' AND NOT EXISTS (SELECT FROM tokens t
  WHERE t.account_id = s.account_id AND 'token:' || t.id = s.created_by AND ${isProgram} AND ${isGood}
    AND ${SCOPE_FOR.schedule_message} = ANY(t.scopes)
    AND (t.contacts IS NULL OR EXISTS (SELECT FROM chats c WHERE c.account_id = s.account_id
      AND c.id = s.chat_id AND c.contact_id = ANY(t.contacts))))`;

interface ScheduleRow {
  readonly id: ScheduleId;
  readonly chat_id: ChatId;
  readonly body: string;
  readonly created_by: string;
  readonly approval_id: string | null;
  readonly state: string;
  readonly program_gone: boolean;
}

const factsOf = (row: ScheduleRow): KnownSchedule => ({
  chat: row.chat_id,
  hash: contentHash({ chat: row.chat_id, text: row.body }),
  by: row.created_by === 'owner' ? 'owner' : 'agent',
  programGone: row.program_gone,
  approved: row.approval_id !== null,
  cancelled: row.state === 'cancelled',
});
