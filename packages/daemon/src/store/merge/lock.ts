// Locks the work in progress of contacts that are about to be merged, before the contacts. All other transactions lock
// these rows first and a contact or a chat later, so a merge that locked the contacts first would deadlock with them.
import type { AccountId, ContactId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Transaction } from '../database.ts';

/**
 * In the order in which other transactions lock these rows. `nowait` is for rows that were added before the contacts were
 * locked: whoever holds one may already wait for a contact. The statement then fails and the merge is tried again.
 */
export async function lockWorkInProgress(
  tx: Transaction,
  account: AccountId,
  contacts: readonly ContactId[],
  how: 'wait' | 'nowait',
): Promise<void> {
  const waiting = how === 'nowait' ? sql`NOWAIT` : sql``;
  const chats = sql`SELECT id FROM chats WHERE account_id = ${account} AND contact_id = ANY(${contacts}::uuid[])`;
  await sql`SELECT FROM relay_jobs.job WHERE name = 'route' AND state < 'completed'
      AND singleton_key IN (SELECT ${account} || ':' || id FROM (${chats}) c)
    ORDER BY id FOR UPDATE ${waiting}`.execute(tx);
  await sql`SELECT FROM sessions WHERE account_id = ${account} AND contact_id = ANY(${contacts}::uuid[])
    ORDER BY id FOR UPDATE ${waiting}`.execute(tx);
  // Not the key, because lines are added to the transcript while a message is locked. The end of a conversation locks it
  // before the next one in the queue.
  await sql`SELECT FROM instances WHERE account_id = ${account} AND contact_id = ANY(${contacts}::uuid[])
    ORDER BY state = 'QUEUED', queue_seq FOR NO KEY UPDATE ${waiting}`.execute(tx);
  await sql`SELECT FROM schedules WHERE account_id = ${account} AND chat_id IN (${chats})
    ORDER BY id FOR UPDATE ${waiting}`.execute(tx);
  await sql`SELECT FROM approvals WHERE account_id = ${account} AND state = 'pending'
      AND (intent->>'chat' IN (SELECT id::text FROM (${chats}) c)
        OR (intent->'of'->>'contact')::uuid = ANY(${contacts}::uuid[]))
    ORDER BY id FOR UPDATE ${waiting}`.execute(tx);
  await sql`SELECT FROM outbox WHERE account_id = ${account} AND chat_id IN (${chats})
      AND state IN ('pending', 'unknown')
    ORDER BY seq FOR NO KEY UPDATE ${waiting}`.execute(tx);
}
