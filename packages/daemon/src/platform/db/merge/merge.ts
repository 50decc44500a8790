// Merges two contacts that are one person: everything that belongs to either belongs to one of them afterwards, in the
// caller's transaction. Rights that both had stay; a right that only one had is withdrawn and reported. Work in
// progress with either continues: a merge refuses, revokes or loses nothing.

import type { InstanceState } from '@relay/contract/conversation/states';
import type { AccountId, ContactId, InstanceId, SessionId } from '@relay/contract/ids';
import type { ContactMerge } from '@relay/core/contacts/alias';
import type { Grant } from '@relay/core/contacts/grants';
import { sql } from 'kysely';
import type { Transaction } from '../database.ts';
import { appendEvent } from '../events.ts';
import { appendLedger } from '../ledger.ts';
import { expireGrantApprovals, type MergeContext, mergeChats } from './chats.ts';

export async function applyContactMerge(
  tx: Transaction,
  account: AccountId,
  merge: ContactMerge,
): Promise<void> {
  const work: MergeContext = { tx, account, into: merge.into, from: merge.from };
  await moveAliases(work);
  await narrowGrant(work, merge.grant);
  await expireGrantApprovals(work);
  await narrowTokens(work);
  await addMessageRequests(work);
  await addStrangerUse(work);
  await joinGroups(work);
  await mergeConversations(work);
  await mergeSessions(work);
  await mergeChats(work);
  await deleteMergedContact(work);
  await recordMerge(work, merge);
}

async function moveAliases({ tx, account, into, from }: MergeContext): Promise<void> {
  await sql`UPDATE contact_aliases SET contact_id = ${into}
    WHERE account_id = ${account} AND contact_id = ${from}`.execute(tx);
}

async function narrowGrant({ tx, account, into, from }: MergeContext, grant: Grant | null) {
  const gone = grant === null ? [into, from] : [from];
  await sql`DELETE FROM grants WHERE account_id = ${account} AND contact_id = ANY(${gone})`.execute(
    tx,
  );
  if (grant === null) return;
  await sql`UPDATE grants SET can_read = ${grant.canRead}, can_reply = ${grant.canReply},
      can_initiate = ${grant.canInitiate}, reply_mode = ${grant.replyMode}, updated_at = now()
    WHERE account_id = ${account} AND contact_id = ${into}`.execute(tx);
}

/** A token limited to one of the two contacts was not meant for the other. */
async function narrowTokens({ tx, account, into, from }: MergeContext): Promise<void> {
  await sql`UPDATE tokens SET contacts = CASE
      WHEN contacts @> ARRAY[${into}, ${from}]::uuid[] THEN array_remove(contacts, ${from}::uuid)
      ELSE array_remove(array_remove(contacts, ${from}::uuid), ${into}::uuid) END
    WHERE account_id = ${account} AND contacts && ARRAY[${into}, ${from}]::uuid[]`.execute(tx);
}

async function addMessageRequests({ tx, account, into, from }: MergeContext): Promise<void> {
  await sql`INSERT INTO knocks AS k (account_id, contact_id, count, first_at, last_at, dismissed_at)
    SELECT account_id, ${into}::uuid, count, first_at, last_at, dismissed_at FROM knocks
      WHERE account_id = ${account} AND contact_id = ${from}
    ON CONFLICT (account_id, contact_id) DO UPDATE SET
      count = k.count + excluded.count,
      first_at = least(k.first_at, excluded.first_at),
      last_at = greatest(k.last_at, excluded.last_at),
      dismissed_at = CASE WHEN k.dismissed_at IS NOT NULL AND excluded.dismissed_at IS NOT NULL
        THEN greatest(k.dismissed_at, excluded.dismissed_at) END`.execute(tx);
}

async function addStrangerUse({ tx, account, into, from }: MergeContext): Promise<void> {
  await sql`INSERT INTO stranger_use AS u (account_id, day, contact_id, bytes, not_stored)
    SELECT account_id, day, ${into}::uuid, bytes, not_stored FROM stranger_use
      WHERE account_id = ${account} AND contact_id = ${from}
    ON CONFLICT (account_id, day, contact_id) DO UPDATE SET
      bytes = u.bytes + excluded.bytes, not_stored = u.not_stored + excluded.not_stored`.execute(
    tx,
  );
}

async function joinGroups({ tx, account, into, from }: MergeContext): Promise<void> {
  await sql`INSERT INTO chat_members AS m (account_id, chat_id, contact_id, role)
    SELECT account_id, chat_id, ${into}::uuid, role FROM chat_members
      WHERE account_id = ${account} AND contact_id = ${from}
    ON CONFLICT (account_id, chat_id, contact_id) DO UPDATE
      SET role = excluded.role WHERE excluded.role = 'admin'`.execute(tx);
}

/** Its message requests, memberships and counts are deleted with it: they were taken over above. */
async function deleteMergedContact({ tx, account, into, from }: MergeContext): Promise<void> {
  await sql`UPDATE contacts k SET display_name = coalesce(k.display_name, g.display_name),
      push_name = coalesce(k.push_name, g.push_name), created_at = least(k.created_at, g.created_at),
      last_message_at = greatest(k.last_message_at, g.last_message_at)
    FROM contacts g WHERE k.account_id = ${account} AND k.id = ${into}
      AND g.account_id = ${account} AND g.id = ${from}`.execute(tx);
  await sql`DELETE FROM contacts WHERE account_id = ${account} AND id = ${from}`.execute(tx);
}

async function recordMerge(
  { tx, account, into, from }: MergeContext,
  { grant, withdrawn }: ContactMerge,
): Promise<void> {
  await appendEvent(tx, account, { kind: 'contact.merged', subject: into, data: { from } });
  if (withdrawn.length > 0) {
    await appendEvent(tx, account, {
      kind: 'grant.withdrawn',
      subject: into,
      data: { withdrawn, left: grant },
    });
  }
  await appendLedger(tx, account, {
    actor: 'relay',
    action: 'merge_contacts',
    subject: { kind: 'contact', id: into },
    outcome: withdrawn.length > 0 ? 'narrowed' : 'merged',
    reason: 'same_person',
    detail: { from, withdrawn, left: grant },
  });
}

// Locks the work in progress of contacts that are about to be merged, before the contacts. All other transactions lock
// these rows first and a contact or a chat later, so a merge that locked the contacts first would deadlock with them.

/**
 * In the order in which other transactions lock these rows. `nowait` is for rows that were added before the contacts
 * were locked: their holder may already wait for a contact. The statement then fails and the merge is tried again.
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
  // Not the key, because lines are added to the transcript while a message is locked. The end of a conversation locks
  // it before the next one in the queue.
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

// Merges conversations. A contact has one active conversation: of two, the older continues and the younger is paused in
// the queue until its owner resumes it.

const PAUSED_BY_MERGE =
  'This contact was merged with the contact of another conversation. Resume it when that one has ended.';

async function mergeConversations(work: MergeContext): Promise<void> {
  const { tx, account, into, from } = work;
  const { rows: holding } = await sql<{ id: InstanceId; state: InstanceState }>`
    SELECT id, state FROM instances WHERE account_id = ${account} AND contact_id IN (${into}, ${from})
      AND state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED', 'QUEUED')
      AND previous_state IS DISTINCT FROM 'QUEUED'
    ORDER BY queue_seq FOR NO KEY UPDATE`.execute(tx);
  for (const younger of holding.slice(1)) await pauseYounger(work, younger);
  await sql`UPDATE instances SET contact_id = ${into}
    WHERE account_id = ${account} AND contact_id = ${from}`.execute(tx);
}

async function pauseYounger(
  { tx, account }: MergeContext,
  { id, state }: { id: InstanceId; state: InstanceState },
): Promise<void> {
  const { rows } = await sql<{ epoch: number }>`
    UPDATE instances SET state = 'PAUSED', previous_state = 'QUEUED', epoch = epoch + 1,
      timer_due_at = NULL, timer_left_ms = NULL, reason = ${PAUSED_BY_MERGE}, updated_at = now()
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

// Merges sessions: one remains, with the lines of both in the order they were received. Lines that waited for an answer
// in either still wait.

interface MergedSession {
  readonly id: SessionId;
  readonly key: string;
}

async function mergeSessions(work: MergeContext): Promise<void> {
  const { tx, account, into, from } = work;
  const { rows } = await sql<MergedSession>`
    SELECT id, key FROM sessions
    WHERE account_id = ${account} AND kind = 'auto_reply' AND key IN (${into}, ${from})
    ORDER BY id FOR UPDATE`.execute(tx);
  const kept = rows.find(({ key }) => key === into);
  const gone = rows.find(({ key }) => key === from);
  if (gone === undefined) return;
  if (kept !== undefined) await moveLines(work, gone, kept);
  else {
    await sql`UPDATE sessions SET key = ${into} WHERE account_id = ${account} AND id = ${gone.id}`.execute(
      tx,
    );
  }
  await sql`UPDATE grants SET session_id = ${(kept ?? gone).id}
    WHERE account_id = ${account} AND contact_id = ${into}`.execute(tx);
}

async function moveLines(
  work: MergeContext,
  gone: MergedSession,
  kept: MergedSession,
): Promise<void> {
  const { tx, account } = work;
  const isAskedFor = await hasWaiting(work, kept);
  const waits = await hasWaiting(work, gone);
  for (const table of ['session_messages', 'runs'] as const) {
    await sql`UPDATE ${sql.table(table)} SET session_id = ${kept.id}
      WHERE account_id = ${account} AND session_id = ${gone.id}`.execute(tx);
  }
  // The longer cooldown is kept.
  await sql`UPDATE sessions k SET resting_until = g.resting_until, rests = g.rests, rest_reason = g.rest_reason
    FROM sessions g WHERE k.account_id = ${account} AND k.id = ${kept.id} AND g.account_id = ${account}
      AND g.id = ${gone.id} AND g.resting_until > coalesce(k.resting_until, '-infinity')`.execute(
    tx,
  );
  await sql`DELETE FROM sessions WHERE account_id = ${account} AND id = ${gone.id}`.execute(tx);
  await sql`DELETE FROM timers WHERE account_id = ${account} AND subject_id = ${gone.id}`.execute(
    tx,
  );
  if (!waits || isAskedFor) return;
  // The kept session has no job yet: a timer that is already due becomes its job.
  await sql`INSERT INTO timers (account_id, kind, subject_id, epoch, due_at)
    VALUES (${account}, 'auto_reply', ${kept.id}, 0, 'epoch')
    ON CONFLICT (account_id, kind, subject_id) DO NOTHING`.execute(tx);
}

/** Called once the session is locked: the former holder of the lock may have added a line. */
async function hasWaiting({ tx, account }: MergeContext, { id }: MergedSession): Promise<boolean> {
  const { rows } = await sql`SELECT FROM session_messages
    WHERE account_id = ${account} AND session_id = ${id} AND waiting LIMIT 1`.execute(tx);
  return rows.length > 0;
}
