// Merges the chats of two contacts that are one person: the messages of both in one chat, in order, without duplicates.
// Everything in progress in either (conversations, schedules, approvals, queued messages) continues in the chat that is
// kept.
import type { OutgoingContent } from '@relay/contract/api/outgoing';
import type { AccountId, ApprovalId, ChatId, ContactId, MessageId } from '@relay/contract/ids';
import { type RawBuilder, sql } from 'kysely';
import { sealOf, type Transaction } from '../database.ts';
import { appendEvents } from '../events.ts';
import {
  type ApprovableIntent,
  contentHash,
  intentHash,
  type PermitFacts,
  permitFacts,
} from '../seal.ts';

const FOLLOW_THE_CHAT = [
  'messages',
  'message_keys',
  'media',
  'search_documents',
  'instances',
  'sessions',
  'schedules',
] as const;

export async function mergeChats(work: MergeContext): Promise<void> {
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
  await dropDuplicateMessages(work, sql`chat_id = ${gone}`, { chat: kept });
  for (const table of FOLLOW_THE_CHAT) {
    await sql`UPDATE ${sql.table(table)} SET chat_id = ${kept}
      WHERE account_id = ${account} AND chat_id = ${gone}`.execute(tx);
  }
  const open = await openPermits(work, gone);
  await moveApprovals(work, gone, kept);
  await movePermits(work, open, gone, kept);
  await mergeTokenReads(work, gone, kept);
  await moveRuns(work, gone, kept);
  await joinRouteJobs(work, gone, kept);
  await sql`UPDATE chats k SET
      last_message_at = greatest(k.last_message_at, g.last_message_at),
      unread_count = k.unread_count + g.unread_count,
      expires_after_s = coalesce(k.expires_after_s, g.expires_after_s),
      retention_days = coalesce(k.retention_days, g.retention_days),
      created_at = least(k.created_at, g.created_at)
    FROM chats g WHERE k.account_id = ${account} AND k.id = ${kept}
      AND g.account_id = ${account} AND g.id = ${gone}`.execute(tx);
  await sql`DELETE FROM chats WHERE account_id = ${account} AND id = ${gone}`.execute(tx);
}

/** A token that has read one chat has read the other: both belong to one person. */
async function mergeTokenReads(
  { tx, account }: MergeContext,
  gone: ChatId,
  kept: ChatId,
): Promise<void> {
  await sql`INSERT INTO token_reads (account_id, token_id, chat_id, read_at)
    SELECT account_id, token_id, ${kept}::uuid, read_at FROM token_reads
      WHERE account_id = ${account} AND chat_id = ${gone} ON CONFLICT DO NOTHING`.execute(tx);
  await sql`DELETE FROM token_reads WHERE account_id = ${account} AND chat_id = ${gone}`.execute(
    tx,
  );
}

/** Erasing a person finds what agents wrote about them by the chats that each run has read. */
async function moveRuns({ tx, account }: MergeContext, gone: ChatId, kept: ChatId): Promise<void> {
  await sql`UPDATE runs SET actor = ${actorAfterMergeSql(sql.ref('actor'), gone, kept)}, taint = jsonb_set(taint, '{chats}',
      (taint->'chats') - ${gone}::text - ${kept}::text || to_jsonb(${kept}::text))
    WHERE account_id = ${account} AND taint->'chats' ? ${gone}::text`.execute(tx);
}

async function renameSender(work: MergeContext): Promise<void> {
  const { tx, account, into, from } = work;
  await sql`UPDATE messages SET sender_id = ${into}
    WHERE account_id = ${account} AND sender_id = ${from}`.execute(tx);
  // By chat, because keys are indexed by chat.
  const theirs = sql`sender = ${from} AND chat_id IN (SELECT id FROM chats
    WHERE account_id = ${account} AND (kind = 'group' OR contact_id = ${from}))`;
  await dropDuplicateMessages(work, theirs, { sender: into });
  await sql`UPDATE message_keys SET sender = ${into}
    WHERE account_id = ${account} AND ${theirs}`.execute(tx);
}

/** A message that arrived under both addresses is kept once: of two that would share a key, one is deleted. */
async function dropDuplicateMessages(
  work: MergeContext,
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

// The context of every merge step: the transaction, and which contact is merged into which.

export interface MergeContext {
  readonly tx: Transaction;
  readonly account: AccountId;
  readonly into: ContactId;
  readonly from: ContactId;
}

// Merges approvals about the two contacts. They keep their ids, their text and their notices; the recipient becomes the
// chat that is kept, with a new hash. An approval to change the grant of one contact does not apply to the other, so it
// expires.

const ASKED_TWICE = 'The same message to the same person already has a pending approval.';
const OTHER_GRANTEE =
  'This contact was merged with another one. Change the grant of the merged contact instead.';

/** Pending grant changes of either contact. */
export async function expireGrantApprovals(work: MergeContext): Promise<void> {
  const { tx, account, into, from } = work;
  const { rows } = await sql<{ id: ApprovalId }>`
    SELECT id FROM approvals WHERE account_id = ${account} AND state = 'pending'
      AND (intent->'of'->>'contact')::uuid IN (${into}, ${from}) FOR UPDATE`.execute(tx);
  await expireApprovals(
    work,
    rows.map(({ id }) => id),
    OTHER_GRANTEE,
  );
}

interface MovedApproval {
  readonly id: ApprovalId;
  readonly intent: ApprovableIntent;
  readonly hash: string;
  readonly requested_by: string;
}

/** The permits of approved ones get the new hash through their foreign key. */
async function moveApprovals(work: MergeContext, gone: ChatId, kept: ChatId): Promise<void> {
  const { tx, account } = work;
  const { rows } = await sql<MovedApproval>`
    SELECT id, intent, encode(intent_hash, 'hex') AS hash, requested_by FROM approvals
    WHERE account_id = ${account} AND intent->>'chat' = ${gone}::text ORDER BY id FOR UPDATE`.execute(
    tx,
  );
  if (rows.length === 0) return;
  const moved = rows.map(({ id, intent, hash, requested_by }): MovedApproval => {
    const after = { ...intent, chat: kept };
    return {
      id,
      intent: after,
      // A hash that did not match its content must not begin to match.
      hash: intentHash(intent) === hash ? intentHash(after) : hash,
      requested_by: actorAfterMerge(requested_by, gone, kept),
    };
  });
  await joinTwins(work, moved);
  await sql`UPDATE approvals a SET intent = n.intent, intent_hash = n.hash, requested_by = n.requested_by
    FROM ${movedApprovalsSql(moved)} WHERE a.account_id = ${account} AND a.id = n.id`.execute(tx);
}

const movedApprovalsSql = (
  moved: readonly MovedApproval[],
) => sql`unnest(${moved.map(({ id }) => id)}::uuid[],
  ${moved.map(({ intent }) => JSON.stringify(intent))}::jsonb[],
  ${moved.map(({ hash }) => Buffer.from(hash, 'hex'))}::bytea[],
  ${moved.map(({ requested_by }) => requested_by)}::text[]) AS n(id, intent, hash, requested_by)`;

/** The same message requested for both chats is one approval: approving both would send it twice. */
async function joinTwins(work: MergeContext, moved: readonly MovedApproval[]): Promise<void> {
  const { tx, account } = work;
  const { rows: twins } = await sql<{ gone: ApprovalId; kept: ApprovalId }>`
    SELECT g.id AS gone, k.id AS kept FROM ${movedApprovalsSql(moved)}
      JOIN approvals g ON g.account_id = ${account} AND g.id = n.id AND g.state = 'pending'
      JOIN approvals k ON k.account_id = ${account} AND k.id <> n.id AND k.state = 'pending'
        AND k.intent_hash = n.hash AND k.requested_by = n.requested_by`.execute(tx);
  for (const { gone, kept } of twins) {
    for (const table of ['session_messages', 'schedule_runs'] as const) {
      await sql`UPDATE ${sql.table(table)} SET approval_id = ${kept}
        WHERE account_id = ${account} AND approval_id = ${gone}`.execute(tx);
    }
  }
  await expireApprovals(
    work,
    twins.map(({ gone }) => gone),
    ASKED_TWICE,
  );
}

async function expireApprovals(
  { tx, account }: MergeContext,
  ids: readonly ApprovalId[],
  why: string,
): Promise<void> {
  if (ids.length === 0) return;
  await sql`UPDATE approvals SET state = 'expired', decided_at = now(), answer = ${why}
    WHERE account_id = ${account} AND id = ANY(${ids}::uuid[])`.execute(tx);
  const expired = { kind: 'approval', data: { state: 'expired' } };
  await appendEvents(
    tx,
    account,
    ids.map((id) => ({ ...expired, subject: id })),
  );
}

// Moves unsent messages when two chats turn out to be one. Their permits name one of the chats and are rewritten for
// the one that is kept. Whether they may be sent is still decided just before sending, with the merged grant.

interface OpenPermit extends PermitFacts {
  readonly mac: Buffer | null;
  readonly body: string;
  readonly quotes: MessageId | null;
  readonly content: OutgoingContent | null;
}

/** The actor's name after the merge, if it contains the chat. */
const actorAfterMerge = (actor: string, gone: ChatId, kept: ChatId): string =>
  actor === `auto_reply:${gone}` ? `auto_reply:${kept}` : actor;

/** The same for a column. */
const actorAfterMergeSql = (actor: RawBuilder<unknown>, gone: ChatId, kept: ChatId) =>
  sql<string>`CASE WHEN ${actor} = ${`auto_reply:${gone}`} THEN ${`auto_reply:${kept}`} ELSE ${actor} END`;

/** Permits of the chat's messages that may still be sent. Read them before the approvals are moved. */
async function openPermits(
  { tx, account }: MergeContext,
  chat: ChatId,
): Promise<readonly OpenPermit[]> {
  const { rows } = await sql<OpenPermit>`
    SELECT p.account_id, p.id, p.ledger_seq, p.actor, p.intent, p.chat_id, encode(p.content_hash, 'hex') AS hash,
      p.instance_id, p.instance_epoch, p.follow_up_after, p.approval_id, p.run_id, p.schedule_id, p.mac,
      o.message_id, o.body, o.quotes, o.content
    FROM outbox o JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
    WHERE o.account_id = ${account} AND o.chat_id = ${chat} AND o.state IN ('pending', 'unknown')`.execute(
    tx,
  );
  return rows;
}

/**
 * Moves all permits of the chat, and through their foreign key the messages. An approved permit has its approval's
 * hash.
 */
async function movePermits(
  work: MergeContext,
  open: readonly OpenPermit[],
  gone: ChatId,
  kept: ChatId,
): Promise<void> {
  const { tx, account } = work;
  const moved = open.map((permit) => movedTo(work, permit, kept));
  await sql`UPDATE permits SET chat_id = ${kept}, actor = ${actorAfterMergeSql(sql.ref('actor'), gone, kept)}
    WHERE account_id = ${account} AND chat_id = ${gone}`.execute(tx);
  await sql`UPDATE permits p SET actor = n.actor, mac = n.mac,
      content_hash = CASE WHEN p.approval_id IS NULL THEN n.hash ELSE p.content_hash END
    FROM unnest(${moved.map(({ id }) => id)}::uuid[],
      ${moved.map(({ hash }) => Buffer.from(hash, 'hex'))}::bytea[],
      ${moved.map(({ actor }) => actor)}::text[], ${moved.map(({ mac }) => mac)}::bytea[])
      AS n(id, hash, actor, mac)
    WHERE p.account_id = ${account} AND p.id = n.id`.execute(tx);
}

/** A forged or altered permit stays invalid: only a signed permit is signed again. */
function movedTo({ tx }: MergeContext, permit: OpenPermit, chat: ChatId): OpenPermit {
  const { chat_id: gone, hash, body: text, quotes, content, mac } = permit;
  const seal = sealOf(tx);
  const isOwn = hash === contentHash({ chat: gone, text, quotes, content });
  const after = {
    ...permit,
    chat_id: chat,
    hash: isOwn ? contentHash({ chat, text, quotes, content }) : hash,
    actor: actorAfterMerge(permit.actor, gone, chat),
  };
  const isSigned = seal.isSigned(mac, 'permit', permitFacts(permit));
  return { ...after, mac: isSigned ? seal.sign('permit', permitFacts(after)) : mac };
}

// Merges the route jobs of the two chats. Jobs of one key run in order, one at a time; under two keys, messages of one
// person would be routed concurrently and in any order.

/**
 * Jobs of the removed chat get the key of the kept chat and are ordered by age. The queue allows one running or retried
 * job for each key: if the kept chat has one, the other chat's job is queued again. Its new id keeps its place in the
 * order, and the worker that runs it now can no longer complete, fail or delete it.
 */
async function joinRouteJobs(
  { tx, account }: MergeContext,
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

/** A message that arrived under both addresses is stored once. If the dropped copy was routed, the kept one is not. */
async function dropRoutedTwice(
  { tx }: MergeContext,
  copies: readonly { readonly dropped: number; readonly kept: number }[],
): Promise<void> {
  if (copies.length === 0) return;
  await sql`DELETE FROM relay_jobs.job j USING unnest(${copies.map(({ dropped }) => dropped)}::bigint[],
      ${copies.map(({ kept }) => kept)}::bigint[]) AS copy(dropped, kept)
    WHERE j.name = 'route' AND j.state < 'completed' AND (j.data->>'message')::bigint = copy.kept
      AND NOT EXISTS (SELECT FROM relay_jobs.job open WHERE open.name = 'route' AND open.state < 'completed'
        AND (open.data->>'message')::bigint = copy.dropped)`.execute(tx);
}
