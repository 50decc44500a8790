// What is under way with contacts that turn out to be one, locked before the contacts themselves. Everybody who works on
// one of these rows holds it first and then waits for a contact or a chat: a merge that began with those would wait for
// them while they wait for it.
import type { AccountId, ContactId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Transaction } from '../database.ts';

/**
 * In the order in which the others lock them. `nowait`, once the contacts are held: what came in just before and is being
 * worked on may wait for them already. The statement fails then, and the merge begins again.
 */
export async function lockUnderWay(
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
  // Not the key: what became of a message is written to the transcript while the message is locked. Whoever ends a
  // conversation holds it and then locks the next one in the queue.
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
