// What a scheduler's message fulfils, looked up when it is submitted and again before it leaves: its hash is
// made from the schedule as it stands, so that a schedule that was changed or cancelled permits nothing.
import type { AccountId, ChatId, ScheduleId } from '@relay/core/ids';
import type { ScheduleFacts } from '@relay/core/policy/facts';
import type { Transaction } from '../store/database.ts';
import { contentHash } from './content-hash.ts';

export interface KnownSchedule extends ScheduleFacts {
  readonly cancelled: boolean;
}

export async function readSchedules(
  tx: Transaction,
  account: AccountId,
  ids: readonly ScheduleId[],
): Promise<ReadonlyMap<ScheduleId, KnownSchedule>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .selectFrom('schedules')
    .select(['id', 'chat_id', 'body', 'created_by', 'approval_id', 'state'])
    .where('account_id', '=', account)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, factsOf(row)]));
}

interface ScheduleRow {
  readonly chat_id: ChatId;
  readonly body: string;
  readonly created_by: string;
  readonly approval_id: string | null;
  readonly state: string;
}

const factsOf = (row: ScheduleRow): KnownSchedule => ({
  chat: row.chat_id,
  hash: contentHash({ chat: row.chat_id, text: row.body }),
  by: row.created_by === 'owner' ? 'owner' : 'agent',
  approved: row.approval_id !== null,
  cancelled: row.state === 'cancelled',
});
