// While WhatsApp cannot be reached, or much waits to be sent, messages of a schedule would pile up and leave
// together. Of a schedule that leaves out what is missed only the newest waits: it takes the place of the
// one before, whose permit is taken back, unless that was handed to the wire already.
import type { PermitId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Work } from '../jobs/work.ts';
import type { ScheduleRow } from './rows.ts';

export async function replaceWaiting({ tx }: Work, row: ScheduleRow): Promise<void> {
  if (row.catch_up === 'all') return;
  // One that the deliverer holds at this moment is on its way.
  const { rows } = await sql<{ id: PermitId }>`
    UPDATE permits SET revoked_at = now(), mac = NULL WHERE account_id = ${row.account_id} AND id IN (
      SELECT o.permit_id FROM outbox o JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
      WHERE o.account_id = ${row.account_id} AND o.state = 'pending' AND o.attempts = 0
        AND p.schedule_id = ${row.id} AND p.revoked_at IS NULL FOR UPDATE OF o SKIP LOCKED)
    RETURNING id`.execute(tx);
  if (rows.length === 0) return;
  await sql`UPDATE schedule_runs SET outcome = 'skipped', reason = 'replaced'
    WHERE account_id = ${row.account_id} AND schedule_id = ${row.id}
      AND permit_id = ANY(${rows.map(({ id }) => id)}::uuid[])`.execute(tx);
}
