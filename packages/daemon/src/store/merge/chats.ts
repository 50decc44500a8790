// The chats of two contacts that are one: the messages of both in one chat, in order, each once.
// A permit was for one of the two addresses, so what has not left yet needs a new one; so does a question.
import type { ApprovalId, ChatId } from '@relay/core/ids';
import { sql } from 'kysely';
import { appendEvents } from '../events.ts';
import { joinRouteJobs } from './jobs.ts';
import type { MergeWork } from './work.ts';

const FOLLOW_THE_CHAT = [
  'messages',
  'message_keys',
  'search_documents',
  'permits',
  'outbox',
  'instances',
  'sessions',
  'schedules',
] as const;

export async function mergeChats(work: MergeWork): Promise<{ revoked: number }> {
  const { tx, account, into, from } = work;
  const revoked = await revokePending(work);
  await expireQuestions(work);
  await renameSender(work);
  for (const table of ['search_documents', 'sessions'] as const) {
    await sql`UPDATE ${sql.table(table)} SET contact_id = ${into}
      WHERE account_id = ${account} AND contact_id = ${from}`.execute(tx);
  }
  const { rows } = await sql<{ id: ChatId; contact_id: string }>`
    SELECT id, contact_id FROM chats WHERE account_id = ${account}
      AND contact_id IN (${into}, ${from}) ORDER BY id FOR UPDATE`.execute(tx);
  const kept = rows.find((chat) => chat.contact_id === into)?.id;
  const gone = rows.find((chat) => chat.contact_id === from)?.id;
  if (gone === undefined) return { revoked };
  if (kept === undefined) {
    await sql`UPDATE chats SET contact_id = ${into}
      WHERE account_id = ${account} AND id = ${gone}`.execute(tx);
    return { revoked };
  }
  await dropDoubles(work, sql`chat_id = ${gone}`, { chat: kept });
  for (const table of FOLLOW_THE_CHAT) {
    await sql`UPDATE ${sql.table(table)} SET chat_id = ${kept}
      WHERE account_id = ${account} AND chat_id = ${gone}`.execute(tx);
  }
  await haveRead(work, gone, kept);
  await joinRouteJobs(work, gone, kept);
  await sql`UPDATE chats k SET
      last_message_at = greatest(k.last_message_at, g.last_message_at),
      unread_count = k.unread_count + g.unread_count,
      expires_after_s = coalesce(k.expires_after_s, g.expires_after_s),
      created_at = least(k.created_at, g.created_at)
    FROM chats g WHERE k.account_id = ${account} AND k.id = ${kept}
      AND g.account_id = ${account} AND g.id = ${gone}`.execute(tx);
  await sql`DELETE FROM chats WHERE account_id = ${account} AND id = ${gone}`.execute(tx);
  return { revoked };
}

/** Who has read the one has read the other: they are one person's. */
async function haveRead({ tx, account }: MergeWork, gone: ChatId, kept: ChatId): Promise<void> {
  await sql`INSERT INTO token_reads (account_id, token_id, chat_id, read_at)
    SELECT account_id, token_id, ${kept}::uuid, read_at FROM token_reads
      WHERE account_id = ${account} AND chat_id = ${gone} ON CONFLICT DO NOTHING`.execute(tx);
  await sql`DELETE FROM token_reads WHERE account_id = ${account} AND chat_id = ${gone}`.execute(
    tx,
  );
}

/** Whose address it would go to is no longer what it was when it was permitted. */
async function revokePending({ tx, account, into, from }: MergeWork): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE permits p SET revoked_at = now(), mac = NULL FROM outbox o, chats c
    WHERE c.account_id = ${account} AND c.contact_id IN (${into}, ${from})
      AND o.account_id = ${account} AND o.chat_id = c.id AND o.state = 'pending'
      AND p.account_id = ${account} AND p.id = o.permit_id AND p.revoked_at IS NULL`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** What was shown to the owner names a recipient who is somebody else now. */
async function expireQuestions({ tx, account, into, from }: MergeWork): Promise<void> {
  const { rows } = await sql<{ id: ApprovalId }>`
    UPDATE approvals a SET state = 'expired', decided_at = now()
    WHERE a.account_id = ${account} AND a.state = 'pending'
      AND ((a.intent->'of'->>'contact')::uuid IN (${into}, ${from})
        OR (a.intent->>'chat')::uuid IN (SELECT c.id FROM chats c
          WHERE c.account_id = ${account} AND c.contact_id IN (${into}, ${from})))
    RETURNING a.id`.execute(tx);
  const expired = { kind: 'approval', data: { state: 'expired' } };
  await appendEvents(
    tx,
    account,
    rows.map(({ id }) => ({ ...expired, subject: id })),
  );
}

async function renameSender(work: MergeWork): Promise<void> {
  const { tx, account, into, from } = work;
  await sql`UPDATE messages SET sender_id = ${into}
    WHERE account_id = ${account} AND sender_id = ${from}`.execute(tx);
  // By chat, because that is how keys are found.
  const theirs = sql`sender = ${from} AND chat_id IN (SELECT id FROM chats
    WHERE account_id = ${account} AND (kind = 'group' OR contact_id = ${from}))`;
  await dropDoubles(work, theirs, { sender: into });
  await sql`UPDATE message_keys SET sender = ${into}
    WHERE account_id = ${account} AND ${theirs}`.execute(tx);
}

/** A message that came under both addresses is there once: of two that would share a key, one goes. */
async function dropDoubles(
  { tx, account }: MergeWork,
  which: ReturnType<typeof sql>,
  becomes: { chat?: ChatId; sender?: string },
): Promise<void> {
  const { rows } = await sql<{ id: number; sent_at: Date }>`
    DELETE FROM message_keys d USING (
      SELECT coalesce(${becomes.chat ?? null}::uuid, chat_id) AS chat_id,
        coalesce(${becomes.sender ?? null}::text, sender) AS sender, message_id,
        chat_id AS old_chat, sender AS old_sender
      FROM message_keys WHERE account_id = ${account} AND ${which}
    ) moved JOIN message_keys k ON k.account_id = ${account} AND k.chat_id = moved.chat_id
      AND k.sender = moved.sender AND k.message_id = moved.message_id
    WHERE d.account_id = ${account} AND d.chat_id = moved.old_chat AND d.sender = moved.old_sender
      AND d.message_id = moved.message_id
    RETURNING d.id, d.sent_at`.execute(tx);
  for (const { id, sent_at } of rows) {
    await sql`DELETE FROM messages
      WHERE account_id = ${account} AND sent_at = ${sent_at} AND id = ${id}`.execute(tx);
  }
}
