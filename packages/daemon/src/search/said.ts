// Messages with the names people know them by: what a hit is shown as, and the last ones of a chat. Asked
// with the same scope again, so that no id alone opens a chat.
import type { AccountId, ChatId, ContactId, MessageId } from '@relay/core/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../store/database.ts';
import { readableChats, type SearchScope } from './scope.ts';

export interface SaidMessage {
  readonly message: MessageId;
  readonly chat: ChatId;
  /** The name of the person or group; a number where none is known. */
  readonly chatName: string;
  readonly isGroup: boolean;
  /** Null when the account itself wrote it. */
  readonly sender: ContactId | null;
  /** `me`, or the name of whoever wrote it. */
  readonly senderName: string;
  readonly at: Date;
  readonly text: string;
}

interface Place {
  readonly db: Reader;
  readonly account: AccountId;
  readonly admins: readonly string[];
}

interface Row extends SaidMessage {
  document: number | null;
}

/** The messages of these documents, by document. */
export async function said(
  { db, account, admins }: Place,
  scope: SearchScope,
  documents: readonly number[],
): Promise<ReadonlyMap<number, SaidMessage>> {
  if (documents.length === 0) return new Map();
  const { rows } = await shown(
    account,
    readableChats(account, scope, admins),
    sql`SELECT d.id AS document, d.at AS sent_at, d.source_id::bigint AS id FROM search_documents d
      WHERE d.account_id = ${account} AND d.id = ANY(${documents}::bigint[]) AND d.source_kind = 'message'`,
  ).execute(db);
  return new Map(rows.map(({ document, ...message }) => [document ?? 0, message]));
}

/** Oldest first; none of a chat that may not be read. */
export async function lastSaid(
  { db, account, admins }: Place,
  scope: SearchScope,
  which: { chat: ChatId; from?: Date; to?: Date; limit: number },
): Promise<readonly SaidMessage[]> {
  const { rows } = await shown(
    account,
    readableChats(account, scope, admins),
    sql`SELECT NULL::bigint AS document, m.sent_at, m.id FROM messages m
      WHERE m.account_id = ${account} AND m.chat_id = ${which.chat}
        AND m.sent_at >= ${which.from ?? '-infinity'} AND m.sent_at < ${which.to ?? 'infinity'}
      ORDER BY m.sent_at DESC, m.id DESC LIMIT ${which.limit}`,
  ).execute(db);
  return rows.map(({ document: _, ...message }) => message);
}

const shown = (
  account: AccountId,
  readable: RawBuilder<unknown>,
  keys: RawBuilder<unknown>,
): RawBuilder<Row> => sql<Row>`
  WITH readable AS MATERIALIZED (${readable}), keys AS MATERIALIZED (${keys})
  SELECT k.document, m.message_id AS message, m.chat_id AS chat, c.kind = 'group' AS "isGroup",
    coalesce(${nameOfChat(account)}, '') AS "chatName", m.sender_id AS sender,
    CASE WHEN m.from_me THEN 'me' ELSE coalesce(${nameOf(account, sql`m.sender_id`)}, '') END AS "senderName",
    m.sent_at AS at, m.body AS text
  FROM keys k JOIN messages m ON m.account_id = ${account} AND m.sent_at = k.sent_at AND m.id = k.id
    JOIN chats c ON c.account_id = ${account} AND c.id = m.chat_id
  WHERE c.id IN (SELECT id FROM readable)
  ORDER BY m.sent_at, m.id`;

/** As the owner calls them, as they call themselves, or their number. */
const nameOf = (account: AccountId, contact: RawBuilder<unknown>): RawBuilder<string | null> => sql`
  (SELECT coalesce(g.display_name, p.display_name, p.push_name, (
      SELECT CASE s.kind WHEN 'phone' THEN '+' ELSE '' END || s.value FROM contact_aliases s
      WHERE s.account_id = ${account} AND s.contact_id = p.id
      ORDER BY s.kind DESC, s.learnt_at DESC, s.value LIMIT 1))
    FROM contacts p LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
    WHERE p.account_id = ${account} AND p.id = ${contact})`;

const nameOfChat = (account: AccountId): RawBuilder<string | null> => sql`
  CASE WHEN c.kind = 'group'
    THEN coalesce((SELECT g.display_name FROM grants g WHERE g.account_id = c.account_id AND g.chat_id = c.id),
      c.subject, c.group_address)
    ELSE ${nameOf(account, sql`c.contact_id`)} END`;
