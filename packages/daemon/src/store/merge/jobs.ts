// Messages that wait to be routed in one of two chats that are one. Jobs of one key run in order, one at a time; under two
// keys, messages of one person would be routed side by side and in any order.
import type { ChatId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { MergeWork } from './work.ts';

/**
 * The jobs of the chat that goes take the key of the one that stays, where they line up by their age. One that is to be
 * tried again lines up as well, at once. One that runs while another of that key does keeps its own key and just ends;
 * so does one whose row somebody has locked, because it is ending now.
 */
export async function joinRouteJobs(
  { tx, account }: MergeWork,
  gone: ChatId,
  kept: ChatId,
): Promise<void> {
  const [from, into] = [`${account}:${gone}`, `${account}:${kept}`];
  await sql`UPDATE relay_jobs.job j SET singleton_key = ${into},
      state = CASE WHEN j.state = 'retry' THEN 'created' ELSE j.state END,
      start_after = CASE WHEN j.state = 'retry' THEN now() ELSE j.start_after END
    WHERE j.name = 'route' AND j.id IN (SELECT id FROM relay_jobs.job
        WHERE name = 'route' AND singleton_key = ${from} AND state <= 'active' FOR UPDATE SKIP LOCKED)
      AND (j.state <> 'active' OR NOT EXISTS (SELECT FROM relay_jobs.job k
        WHERE k.name = 'route' AND k.singleton_key = ${into} AND k.state IN ('active', 'retry', 'failed')))`.execute(
    tx,
  );
}
