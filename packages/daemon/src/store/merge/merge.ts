// Two contacts were found to be one: everything that hangs on either hangs on one of them afterwards, in
// the caller's transaction. What both were allowed stays; what only one was allowed is withdrawn and said.
// What is under way with either goes on: nothing is refused, revoked or lost because of a merge.
import type { Grant } from '@relay/core/contacts/grants';
import type { Merge } from '@relay/core/contacts/merge';
import type { AccountId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Transaction } from '../database.ts';
import { appendEvent } from '../events.ts';
import { appendLedger } from '../ledger.ts';
import { expireGrantQuestions } from './approvals.ts';
import { mergeChats } from './chats.ts';
import { oneConversation } from './conversations.ts';
import { oneSession } from './sessions.ts';
import type { MergeWork } from './work.ts';

export async function applyMerge(tx: Transaction, account: AccountId, merge: Merge): Promise<void> {
  const work: MergeWork = { tx, account, into: merge.into, from: merge.from };
  await moveAliases(work);
  await narrowGrant(work, merge.grant);
  await expireGrantQuestions(work);
  await narrowTokens(work);
  await addKnocks(work);
  await addStrangerUse(work);
  await joinGroups(work);
  await oneConversation(work);
  await oneSession(work);
  await mergeChats(work);
  await forgetContact(work);
  await tell(work, merge);
}

async function moveAliases({ tx, account, into, from }: MergeWork): Promise<void> {
  await sql`UPDATE contact_aliases SET contact_id = ${into}
    WHERE account_id = ${account} AND contact_id = ${from}`.execute(tx);
}

async function narrowGrant({ tx, account, into, from }: MergeWork, grant: Grant | null) {
  const gone = grant === null ? [into, from] : [from];
  await sql`DELETE FROM grants WHERE account_id = ${account} AND contact_id = ANY(${gone})`.execute(
    tx,
  );
  if (grant === null) return;
  await sql`UPDATE grants SET can_read = ${grant.canRead}, can_reply = ${grant.canReply},
      can_initiate = ${grant.canInitiate}, reply_mode = ${grant.replyMode}, updated_at = now()
    WHERE account_id = ${account} AND contact_id = ${into}`.execute(tx);
}

/** A token that named one of the two was not meant for the other. */
async function narrowTokens({ tx, account, into, from }: MergeWork): Promise<void> {
  await sql`UPDATE tokens SET contacts = CASE
      WHEN contacts @> ARRAY[${into}, ${from}]::uuid[] THEN array_remove(contacts, ${from}::uuid)
      ELSE array_remove(array_remove(contacts, ${from}::uuid), ${into}::uuid) END
    WHERE account_id = ${account} AND contacts && ARRAY[${into}, ${from}]::uuid[]`.execute(tx);
}

async function addKnocks({ tx, account, into, from }: MergeWork): Promise<void> {
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

async function addStrangerUse({ tx, account, into, from }: MergeWork): Promise<void> {
  await sql`INSERT INTO stranger_use AS u (account_id, day, contact_id, bytes, not_stored)
    SELECT account_id, day, ${into}::uuid, bytes, not_stored FROM stranger_use
      WHERE account_id = ${account} AND contact_id = ${from}
    ON CONFLICT (account_id, day, contact_id) DO UPDATE SET
      bytes = u.bytes + excluded.bytes, not_stored = u.not_stored + excluded.not_stored`.execute(
    tx,
  );
}

async function joinGroups({ tx, account, into, from }: MergeWork): Promise<void> {
  await sql`INSERT INTO chat_members AS m (account_id, chat_id, contact_id, role)
    SELECT account_id, chat_id, ${into}::uuid, role FROM chat_members
      WHERE account_id = ${account} AND contact_id = ${from}
    ON CONFLICT (account_id, chat_id, contact_id) DO UPDATE
      SET role = excluded.role WHERE excluded.role = 'admin'`.execute(tx);
}

/** Its knocks, memberships and counts go with it: they were taken over above. */
async function forgetContact({ tx, account, into, from }: MergeWork): Promise<void> {
  await sql`UPDATE contacts k SET display_name = coalesce(k.display_name, g.display_name),
      push_name = coalesce(k.push_name, g.push_name), created_at = least(k.created_at, g.created_at),
      last_message_at = greatest(k.last_message_at, g.last_message_at)
    FROM contacts g WHERE k.account_id = ${account} AND k.id = ${into}
      AND g.account_id = ${account} AND g.id = ${from}`.execute(tx);
  await sql`DELETE FROM contacts WHERE account_id = ${account} AND id = ${from}`.execute(tx);
}

async function tell(
  { tx, account, into, from }: MergeWork,
  { grant, withdrawn }: Merge,
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
