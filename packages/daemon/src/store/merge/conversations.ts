// Conversations with two contacts that are one. A contact is held by one conversation: of two, the older
// goes on and the younger waits, paused in the queue, for its owner to resume it.
import type { InstanceState } from '@relay/core/conversation/states';
import type { InstanceId } from '@relay/core/ids';
import { sql } from 'kysely';
import { appendEvent } from '../events.ts';
import type { MergeWork } from './work.ts';

const REASON =
  'This contact turned out to be the one of another conversation. Resume it when that one has ended.';

export async function oneConversation(work: MergeWork): Promise<void> {
  const { tx, account, into, from } = work;
  const { rows: holding } = await sql<{ id: InstanceId; state: InstanceState }>`
    SELECT id, state FROM instances WHERE account_id = ${account} AND contact_id IN (${into}, ${from})
      AND state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED', 'QUEUED')
      AND previous_state IS DISTINCT FROM 'QUEUED'
    ORDER BY queue_seq FOR NO KEY UPDATE`.execute(tx);
  for (const younger of holding.slice(1)) await stepBack(work, younger);
  await sql`UPDATE instances SET contact_id = ${into}
    WHERE account_id = ${account} AND contact_id = ${from}`.execute(tx);
}

async function stepBack(
  { tx, account }: MergeWork,
  { id, state }: { id: InstanceId; state: InstanceState },
): Promise<void> {
  const { rows } = await sql<{ epoch: number }>`
    UPDATE instances SET state = 'PAUSED', previous_state = 'QUEUED', epoch = epoch + 1,
      timer_due_at = NULL, timer_left_ms = NULL, reason = ${REASON}, updated_at = now()
    WHERE account_id = ${account} AND id = ${id} RETURNING epoch`.execute(tx);
  await sql`DELETE FROM timers WHERE account_id = ${account} AND subject_id = ${id}`.execute(tx);
  if (state !== 'PAUSED') {
    await tx
      .insertInto('instance_transitions')
      .values({
        account_id: account,
        instance_id: id,
        from_state: state,
        to_state: 'PAUSED',
        trigger: 'pause',
        epoch: rows[0]?.epoch ?? 0,
      })
      .execute();
  }
  await appendEvent(tx, account, {
    kind: 'conversation',
    subject: id,
    data: { state: 'PAUSED', from: state, trigger: 'pause' },
  });
}
