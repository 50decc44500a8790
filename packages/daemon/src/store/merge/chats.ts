// The chats of two contacts that are one: the messages of both in one chat, in order, each once. What is under way in
// either (conversations, schedules, approvals, messages that have not left) goes on in the one that is kept.
import type { ChatId } from '@relay/core/ids';
import { sql } from 'kysely';
import { moveApprovals } from './approvals.ts';
import { dropRoutedTwice, joinRouteJobs } from './jobs.ts';
import { actorColumnAfter, movePermits, openPermits } from './permits.ts';
import type { MergeWork } from './work.ts';

const FOLLOW_THE_CHAT = [
  'messages',
  'message_keys',
  'search_documents',
  'instances',
  'sessions',
  'schedules',
] as const;

export async function mergeChats(work: MergeWork): Promise<void> {
  const { tx, account, into, from } = work;
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
  if (gone === undefined) return;
  if (kept === undefined) {
    await sql`UPDATE chats SET contact_id = ${into}
      WHERE account_id = ${account} AND id = ${gone}`.execute(tx);
    return;
  }
  await dropDoubles(work, sql`chat_id = ${gone}`, { chat: kept });
  for (const table of FOLLOW_THE_CHAT) {
    await sql`UPDATE ${sql.table(table)} SET chat_id = ${kept}
      WHERE account_id = ${account} AND chat_id = ${gone}`.execute(tx);
  }
  const open = await openPermits(work, gone);
  await moveApprovals(work, gone, kept);
  await movePermits(work, open, gone, kept);
  await haveRead(work, gone, kept);
  await moveRuns(work, gone, kept);
  await joinRouteJobs(work, gone, kept);
  await sql`UPDATE chats k SET
      last_message_at = greatest(k.last_message_at, g.last_message_at),
      unread_count = k.unread_count + g.unread_count,
      expires_after_s = coalesce(k.expires_after_s, g.expires_after_s),
      created_at = least(k.created_at, g.created_at)
    FROM chats g WHERE k.account_id = ${account} AND k.id = ${kept}
      AND g.account_id = ${account} AND g.id = ${gone}`.execute(tx);
  await sql`DELETE FROM chats WHERE account_id = ${account} AND id = ${gone}`.execute(tx);
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

/** Erasing a person finds what agents wrote about them by the chats that each run has read. */
async function moveRuns({ tx, account }: MergeWork, gone: ChatId, kept: ChatId): Promise<void> {
  await sql`UPDATE runs SET actor = ${actorColumnAfter(sql.ref('actor'), gone, kept)}, taint = jsonb_set(taint, '{chats}',
      (taint->'chats') - ${gone}::text - ${kept}::text || to_jsonb(${kept}::text))
    WHERE account_id = ${account} AND taint->'chats' ? ${gone}::text`.execute(tx);
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
  work: MergeWork,
  which: ReturnType<typeof sql>,
  becomes: { chat?: ChatId; sender?: string },
): Promise<void> {
  const { tx, account } = work;
  const { rows } = await sql<{ id: number; sent_at: Date; kept: number }>`
    DELETE FROM message_keys d USING (
      SELECT coalesce(${becomes.chat ?? null}::uuid, chat_id) AS chat_id,
        coalesce(${becomes.sender ?? null}::text, sender) AS sender, message_id,
        chat_id AS old_chat, sender AS old_sender
      FROM message_keys WHERE account_id = ${account} AND ${which}
    ) moved JOIN message_keys k ON k.account_id = ${account} AND k.chat_id = moved.chat_id
      AND k.sender = moved.sender AND k.message_id = moved.message_id
    WHERE d.account_id = ${account} AND d.chat_id = moved.old_chat AND d.sender = moved.old_sender
      AND d.message_id = moved.message_id
    RETURNING d.id, d.sent_at, k.id AS kept`.execute(tx);
  await dropRoutedTwice(
    work,
    rows.map(({ id: dropped, kept }) => ({ dropped, kept })),
  );
  for (const { id, sent_at } of rows) {
    await sql`DELETE FROM messages
      WHERE account_id = ${account} AND sent_at = ${sent_at} AND id = ${id}`.execute(tx);
  }
}
