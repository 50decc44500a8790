// Reads what is still stored of observed groups and of chats with a limit, and how old it is, which proves that the
// limits are kept. It reads the rows themselves, never what a run reported.
import type { RetentionChat, RetentionGroup, RetentionRun } from '@relay/contract/api/retention';
import { RelayError } from '@relay/contract/errors';
import type { AccountId, ChatId } from '@relay/contract/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Transaction } from '../../platform/db/database.ts';

export interface RetentionCutoffs {
  readonly now: Date;
  /** The limit of chats without one of their own, in days; 0: none. */
  readonly days: number;
  /** Messages of observed groups that were sent before this time are deleted. */
  readonly messages: Date;
  /** Digests of periods that ended before this time are deleted. */
  readonly digests: Date;
}

interface RetentionGroupRow {
  chat_id: ChatId;
  name: string | null;
  observed: boolean;
  messages: number;
  oldest_message_at: Date | null;
  digests: number;
  oldest_digest_at: Date | null;
}

/** Chats that are or were observed, and until when their messages are subject to the limit. */
const limitedChatsSql = (account: AccountId) => sql`(
  SELECT chat_id, true AS observed, 'infinity'::timestamptz AS until FROM observed_groups WHERE account_id = ${account}
  UNION ALL SELECT o.chat_id, false, o.until FROM once_observed o WHERE o.account_id = ${account}
    AND NOT EXISTS (SELECT FROM observed_groups g WHERE g.account_id = o.account_id AND g.chat_id = o.chat_id)
  UNION ALL SELECT DISTINCT d.chat_id, false, '-infinity'::timestamptz FROM digests d WHERE d.account_id = ${account}
    AND NOT EXISTS (SELECT FROM observed_groups g WHERE g.account_id = d.account_id AND g.chat_id = d.chat_id)
    AND NOT EXISTS (SELECT FROM once_observed o WHERE o.account_id = d.account_id AND o.chat_id = d.chat_id))`;

export async function readRetentionGroups(
  db: Db,
  account: AccountId,
  cutoffs: RetentionCutoffs,
): Promise<RetentionGroup[]> {
  const { rows } = await sql<RetentionGroupRow>`
    SELECT l.chat_id, coalesce(n.display_name, c.subject) AS name, l.observed, m.count AS messages,
      m.oldest AS oldest_message_at, d.count AS digests, d.oldest AS oldest_digest_at
    FROM ${limitedChatsSql(account)} l JOIN chats c ON c.account_id = ${account} AND c.id = l.chat_id
      LEFT JOIN grants n ON n.account_id = ${account} AND n.chat_id = l.chat_id
      CROSS JOIN LATERAL (SELECT count(*), min(sent_at) AS oldest FROM messages
        WHERE account_id = ${account} AND chat_id = l.chat_id AND sent_at <= l.until) m
      CROSS JOIN LATERAL (SELECT count(*), min(period_end) AS oldest FROM digests
        WHERE account_id = ${account} AND chat_id = l.chat_id) d
    ORDER BY l.observed DESC, lower(coalesce(n.display_name, c.subject)), l.chat_id`.execute(db);
  return rows.map(({ oldest_message_at, oldest_digest_at, ...row }) => ({
    ...row,
    oldest_message_at: oldest_message_at?.toISOString() ?? null,
    oldest_digest_at: oldest_digest_at?.toISOString() ?? null,
    within_limits:
      (oldest_message_at === null || oldest_message_at >= cutoffs.messages) &&
      (oldest_digest_at === null || oldest_digest_at >= cutoffs.digests),
  }));
}

/** When the messages of the chat `c` become too old; NULL if never. */
const chatCutoffSql = ({ now, days }: Pick<RetentionCutoffs, 'now' | 'days'>) =>
  sql`(${now}::timestamptz - make_interval(hours => 24 * nullif(coalesce(c.retention_days, ${days}::int), 0)))`;

interface RetentionChatRow extends Omit<RetentionChat, 'oldest_message_at'> {
  oldest_message_at: Date | null;
}

/** `which` is a condition on `chats c`. */
async function readRetentionChats(
  db: Db,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<RetentionChat[]> {
  const { rows } = await sql<RetentionChatRow>`
    SELECT c.id AS chat_id, c.contact_id, coalesce(n.display_name, p.display_name, p.push_name, c.subject) AS name,
      c.retention_days AS days, m.count AS messages, m.oldest AS oldest_message_at
    FROM chats c LEFT JOIN contacts p ON p.account_id = c.account_id AND p.id = c.contact_id
      LEFT JOIN grants n ON n.account_id = c.account_id AND (n.chat_id = c.id OR n.contact_id = c.contact_id)
      CROSS JOIN LATERAL (SELECT count(*), min(sent_at) AS oldest FROM messages
        WHERE account_id = c.account_id AND chat_id = c.id) m
    WHERE c.account_id = ${account} AND ${which}
    ORDER BY lower(coalesce(n.display_name, p.display_name, p.push_name, c.subject)), c.id`.execute(
    db,
  );
  return rows.map(({ oldest_message_at, ...row }) => ({
    ...row,
    oldest_message_at: oldest_message_at?.toISOString() ?? null,
  }));
}

export const readChatsWithLimit = (db: Db, account: AccountId): Promise<RetentionChat[]> =>
  readRetentionChats(db, account, sql`c.retention_days IS NOT NULL`);

/** `id` is that of a chat, or of the contact in it. Null: the setting for all chats applies. */
export async function setChatRetention(
  tx: Transaction,
  account: AccountId,
  id: string,
  days: number | null,
): Promise<RetentionChat> {
  const { rows } = await sql<{ id: ChatId }>`
    UPDATE chats SET retention_days = ${days}
    WHERE account_id = ${account} AND ${id}::uuid IN (id, contact_id) RETURNING id`.execute(tx);
  const [chat] = await readRetentionChats(tx, account, sql`c.id = ${rows[0]?.id ?? null}`);
  if (chat === undefined) throw new RelayError('not_found');
  return chat;
}

/** A chat whose messages before `until` are to be deleted. */
interface OverdueChat {
  readonly chat: ChatId;
  readonly until: Date;
}

export async function readOverdueChats(
  db: Db,
  account: AccountId,
  cutoffs: RetentionCutoffs,
): Promise<OverdueChat[]> {
  const { messages } = cutoffs;
  const cutoff = chatCutoffSql(cutoffs);
  // Where several limits apply, the strictest counts.
  const { rows } = await sql<OverdueChat>`
    SELECT chat, max(until) AS until FROM (
      SELECT chat_id AS chat, least(${messages}, until) AS until FROM ${limitedChatsSql(account)} l
      UNION ALL SELECT c.id, ${cutoff} FROM chats c
        WHERE c.account_id = ${account} AND (EXISTS (SELECT FROM messages m
            WHERE m.account_id = c.account_id AND m.chat_id = c.id AND m.sent_at < ${cutoff})
          OR EXISTS (SELECT FROM outbox o
            WHERE o.account_id = c.account_id AND o.chat_id = c.id AND o.created_at < ${cutoff}))
    ) overdue WHERE isfinite(until) GROUP BY chat`.execute(db);
  return rows;
}

/** A condition on `messages m`. */
export const overdueMessagesSql = ({ chat, until }: OverdueChat): RawBuilder<unknown> =>
  sql`m.chat_id = ${chat} AND m.sent_at < ${until}`;

/**
 * A condition on `outbox o`: Relay's own messages there that were sent or have failed, except those of conversations
 * that are still open.
 */
export const overdueAnswersSql = ({ chat, until }: OverdueChat): RawBuilder<unknown> => sql`
  o.chat_id = ${chat} AND coalesce(o.sent_at, o.created_at) < ${until} AND o.state IN ('sent', 'delivered', 'read', 'failed')
  AND NOT EXISTS (SELECT FROM instances n WHERE n.account_id = o.account_id AND n.id = o.instance_id
    AND n.state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED'))`;

/** Failures of digests expire like digests; a formerly observed group without messages needs no mark. */
export async function dropStaleMarks(
  tx: Transaction,
  account: AccountId,
  { digests }: RetentionCutoffs,
): Promise<void> {
  await sql`DELETE FROM digest_failures WHERE account_id = ${account} AND period_end < ${digests}`.execute(
    tx,
  );
  await sql`DELETE FROM once_observed o WHERE o.account_id = ${account} AND NOT EXISTS (SELECT FROM messages m
    WHERE m.account_id = o.account_id AND m.chat_id = o.chat_id AND m.sent_at <= o.until)`.execute(
    tx,
  );
}

export async function noteRetentionRun(
  tx: Transaction,
  account: AccountId,
  { at, cause, messages, digests, scoured, ms }: RetentionRun,
): Promise<void> {
  await sql`INSERT INTO retention_runs (account_id, at, cause, messages, digests, scoured, ms)
    VALUES (${account}, ${at}, ${cause}, ${messages}, ${digests}, ${scoured}, ${ms})`.execute(tx);
}

export async function readRetentionRuns(
  db: Db,
  account: AccountId,
  limit: number,
): Promise<RetentionRun[]> {
  const { rows } = await sql<Omit<RetentionRun, 'at'> & { at: Date }>`
    SELECT at, cause, messages, digests, scoured, ms FROM retention_runs
    WHERE account_id = ${account} ORDER BY id DESC LIMIT ${limit}`.execute(db);
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}
