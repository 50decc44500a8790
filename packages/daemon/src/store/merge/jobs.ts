// Messages that wait to be routed in one of two chats that are one. Jobs of one key run in order, one at a time; under two
// keys, messages of one person would be routed side by side and in any order.
import type { ChatId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { MergeWork } from './work.ts';

/**
 * The jobs of the chat that goes take the key of the one that stays, where they line up by their age. The queue allows one
 * running or retried job for each key: if the chat that stays has one, that of the other lines up again. Its new id keeps
 * its place in the order, and whoever runs it now can no longer complete, fail or delete it.
 */
export async function joinRouteJobs(
  { tx, account }: MergeWork,
  gone: ChatId,
  kept: ChatId,
): Promise<void> {
  const [from, into] = [`${account}:${gone}`, `${account}:${kept}`];
  await sql`UPDATE relay_jobs.job SET singleton_key = ${into}
    WHERE name = 'route' AND singleton_key = ${from} AND state = 'created'`.execute(tx);
  await sql`UPDATE relay_jobs.job j SET singleton_key = ${into},
      state = CASE WHEN busy.yes THEN 'created' ELSE j.state END,
      started_on = CASE WHEN busy.yes THEN NULL ELSE j.started_on END,
      start_after = CASE WHEN busy.yes THEN now() ELSE j.start_after END,
      id = CASE WHEN busy.yes THEN (left(j.id::text, 19) || right(gen_random_uuid()::text, 17))::uuid ELSE j.id END
    FROM (SELECT EXISTS (SELECT FROM relay_jobs.job b WHERE b.name = 'route' AND b.singleton_key = ${into}
      AND b.state IN ('active', 'retry', 'failed')) AS yes) busy
    WHERE j.name = 'route' AND j.singleton_key = ${from} AND j.state IN ('active', 'retry')`.execute(
    tx,
  );
}

/** A message that came under both addresses is stored once. If the dropped copy was routed, the kept one is not. */
export async function dropRoutedTwice(
  { tx }: MergeWork,
  copies: readonly { readonly dropped: number; readonly kept: number }[],
): Promise<void> {
  if (copies.length === 0) return;
  await sql`DELETE FROM relay_jobs.job j USING unnest(${copies.map(({ dropped }) => dropped)}::bigint[],
      ${copies.map(({ kept }) => kept)}::bigint[]) AS copy(dropped, kept)
    WHERE j.name = 'route' AND j.state < 'completed' AND (j.data->>'message')::bigint = copy.kept
      AND NOT EXISTS (SELECT FROM relay_jobs.job open WHERE open.name = 'route' AND open.state < 'completed'
        AND (open.data->>'message')::bigint = copy.dropped)`.execute(tx);
}
