// Removes media that the owner's limits no longer keep, and queues again what lost its job.
import type { MediaId } from '@relay/contract/ids';
import { sql } from 'kysely';
import { transaction } from '../../platform/db/transaction.ts';
import type { MediaDeps } from './deps.ts';
import { removeUnusedObjects } from './room.ts';

const DAY_MS = 86_400_000;
/** An upload that no message has used by then is deleted. */
const UNUSED_UPLOAD_MS = DAY_MS;
const AT_ONCE = 1_000;

/** Returns how many pieces of media lost their file. */
export async function clearMedia(deps: MediaDeps): Promise<number> {
  const { account } = deps.lease;
  const now = deps.now().getTime();
  const { keep_days } = deps.limits();
  const removed = await transaction(deps, async ({ tx }) => {
    await sql`DELETE FROM media WHERE account_id = ${account} AND message IS NULL AND origin = 'uploaded'
      AND created_at < ${new Date(now - UNUSED_UPLOAD_MS)}
      AND NOT EXISTS (SELECT FROM outbox o WHERE o.account_id = media.account_id
        AND o.state IN ('pending', 'unknown') AND o.content->>'media' = media.id::text)
      AND NOT EXISTS (SELECT FROM approvals a WHERE a.account_id = media.account_id AND a.state = 'pending'
        AND a.intent::text LIKE '%' || media.id || '%')
      AND NOT EXISTS (SELECT FROM instances i WHERE i.account_id = media.account_id
        AND i.state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED') AND i.options->'media' ? media.id::text)
      AND NOT EXISTS (SELECT FROM schedules s WHERE s.account_id = media.account_id AND s.state = 'active'
        AND to_jsonb(s)::text LIKE '%' || media.id || '%')`.execute(tx);
    if (keep_days === 0) return 0;
    const { numAffectedRows } = await sql`
      UPDATE media SET state = 'removed', reason = 'retention', sha256 = NULL
      WHERE account_id = ${account} AND state = 'stored' AND message IS NOT NULL
        AND message_at < ${new Date(now - keep_days * DAY_MS)}`.execute(tx);
    return Number(numAffectedRows ?? 0);
  });
  await removeUnusedObjects(deps);
  if (removed > 0) deps.log.info('old media deleted', { count: removed });
  return removed;
}

/** Waiting media without a job: one that failed for good, or a restored archive without it. */
export async function queueStranded(deps: MediaDeps): Promise<void> {
  const { account } = deps.lease;
  await transaction(deps, async ({ tx }) => {
    const { rows } = await sql<{ id: MediaId }>`
      SELECT id FROM media WHERE account_id = ${account} AND state = 'waiting'
      ORDER BY created_at LIMIT ${AT_ONCE}`.execute(tx);
    const keys = await deps.jobs.keysWithoutJob(
      tx,
      'media',
      rows.map(({ id }) => id),
    );
    await deps.jobs.enqueue(
      tx,
      'media',
      keys.map((key) => ({ key, data: { account, subject: key as MediaId } })),
    );
  });
}
