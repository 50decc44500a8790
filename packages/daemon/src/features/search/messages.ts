// Reads messages with names as people know them: for a hit, for the messages around it, and for the last ones of a
// chat. Each query checks the scope again, so that an id alone gives no access to a chat.
import type { ReceivedContent } from '@relay/contract/api/received';
import type { AccountId, ChatId, ContactId, MessageId } from '@relay/contract/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { type MediaJson, mediaJsonSql } from '../../platform/db/media.ts';
import { messageTextSql, PIECE_CHARACTERS } from '../../platform/db/message-text.ts';
import { readableChats, type SearchScope } from './scope.ts';

export interface NamedMessage {
  /** Set when it is not a message but Relay's digest, or a fact from it, of an observed group. */
  readonly digestKind?: 'digest' | 'fact';
  /** For a digest or a fact: the digest's id. */
  readonly message: MessageId;
  /** Its number in `messages`; 0 for a digest or a fact. */
  readonly rowId: number;
  readonly chat: ChatId;
  /** The name of the contact or group; a number when no name is known. */
  readonly chatName: string;
  readonly isGroup: boolean;
  /** Null when the account itself wrote it. */
  readonly sender: ContactId | null;
  /** `me`, or the author's name. */
  readonly senderName: string;
  readonly at: Date;
  readonly text: string;
  /** Its file. */
  readonly media?: MediaJson | null;
  /** What it is besides text and a file. */
  readonly content?: ReceivedContent | null;
}

interface MessageContext {
  readonly db: Db;
  readonly account: AccountId;
  readonly admins: readonly string[];
}

/** A message with the document or hit it was looked up for. */
interface TaggedMessage extends NamedMessage {
  tag: number;
}

const untagged = ({ tag: _, ...message }: TaggedMessage): NamedMessage => message;

/** The messages of these documents, by document. */
export async function readFoundMessages(
  { db, account, admins }: MessageContext,
  scope: SearchScope,
  documents: readonly number[],
): Promise<ReadonlyMap<number, NamedMessage>> {
  if (documents.length === 0) return new Map();
  const readable = readableChats(account, scope, admins);
  const { rows } = await selectNamedMessages(
    account,
    readable,
    sql`SELECT d.id AS tag, d.at AS sent_at, d.source_id::bigint AS id FROM search_documents d
      WHERE d.account_id = ${account} AND d.id = ANY(${documents}::bigint[]) AND d.source_kind = 'message'`,
  ).execute(db);
  const digests = await selectDigestTexts(account, readable, documents).execute(db);
  const media = await readMediaPieces(db, account, readable, documents);
  return new Map([...rows, ...media, ...digests.rows].map((row) => [row.tag, untagged(row)]));
}

/** Pieces of what was understood of media: the message, with what it is and the piece as its text. */
async function readMediaPieces(
  db: Db,
  account: AccountId,
  readable: RawBuilder<unknown>,
  documents: readonly number[],
): Promise<readonly TaggedMessage[]> {
  const { rows: pieces } = await sql<MediaPieceRow>`
    SELECT d.id AS tag, d.at::text, m.message AS number, m.file_name, m.transcript IS NOT NULL AS spoken,
      substr(coalesce(m.transcript, m.extracted), split_part(d.source_id, '.', 2)::int * ${PIECE_CHARACTERS}::int + 1,
        ${PIECE_CHARACTERS}::int) AS piece
    FROM search_documents d JOIN media m ON m.account_id = d.account_id
      AND m.message = split_part(d.source_id, '.', 1)::bigint
    WHERE d.account_id = ${account} AND d.id = ANY(${documents}::bigint[]) AND d.source_kind = 'media'`.execute(
    db,
  );
  if (pieces.length === 0) return [];
  const keys = sql`SELECT * FROM unnest(${pieces.map(({ tag }) => tag)}::bigint[],
    ${pieces.map(({ at }) => at)}::timestamptz[], ${pieces.map(({ number }) => number)}::bigint[])
    AS k (tag, sent_at, id)`;
  const { rows } = await selectNamedMessages(account, readable, keys).execute(db);
  return rows.flatMap((row) => {
    const found = pieces.find(({ tag }) => tag === row.tag);
    if (found === undefined) return [];
    const { spoken, file_name: name, piece } = found;
    const what = spoken
      ? '[Audio message] (written down by a machine)'
      : `[Document] ${name ?? ''}`;
    return [{ ...row, text: `${what.trim()}: ${piece.trim()}` }];
  });
}

interface MediaPieceRow {
  tag: number;
  at: string;
  number: number;
  file_name: string | null;
  spoken: boolean;
  piece: string;
}

/** Digests and facts of observed groups. */
const selectDigestTexts = (
  account: AccountId,
  readable: RawBuilder<unknown>,
  documents: readonly number[],
): RawBuilder<TaggedMessage> => sql<TaggedMessage>`
  WITH readable AS MATERIALIZED (${readable})
  SELECT d.id AS tag, d.source_kind AS "digestKind", g.id::text AS message, 0 AS "rowId", d.chat_id AS chat, true AS "isGroup",
    coalesce(${nameOfChat(account)}, '') AS "chatName", NULL AS sender, d.source_kind AS "senderName", d.at,
    CASE WHEN f.id IS NULL THEN g.body
      ELSE concat_ws(' ', (f.data->>'who') || ':', f.body, '(' || (f.data->>'when') || ')') END AS text
  FROM search_documents d JOIN chats c ON c.account_id = d.account_id AND c.id = d.chat_id
    LEFT JOIN digest_facts f ON d.source_kind = 'fact' AND f.account_id = d.account_id AND f.id::text = d.source_id
    JOIN digests g ON g.account_id = d.account_id
      AND g.id = CASE d.source_kind WHEN 'fact' THEN f.digest_id ELSE d.source_id::uuid END
  WHERE d.account_id = ${account} AND d.id = ANY(${documents}::bigint[]) AND d.source_kind IN ('digest', 'fact')
    AND c.id IN (SELECT id FROM readable)`;

/** Oldest first; empty for a chat that may not be read. */
export async function readLastMessages(
  { db, account, admins }: MessageContext,
  scope: SearchScope,
  which: { chat: ChatId; from?: Date; to?: Date; limit: number },
): Promise<readonly NamedMessage[]> {
  const { rows } = await selectNamedMessages(
    account,
    readableChats(account, scope, admins),
    sql`SELECT 0 AS tag, m.sent_at, m.id FROM messages m
      WHERE m.account_id = ${account} AND m.chat_id = ${which.chat} AND m.body <> ''
        AND m.sent_at >= ${which.from ?? '-infinity'} AND m.sent_at < ${which.to ?? 'infinity'}
      ORDER BY m.sent_at DESC, m.id DESC LIMIT ${which.limit}`,
  ).execute(db);
  return rows.map(untagged);
}

/** A position between messages. */
export interface ChatPosition {
  readonly at: Date;
  readonly number: number;
}

interface NamedMessagePage {
  /** Oldest first. */
  readonly messages: readonly NamedMessage[];
  /** Whether there are more: before the oldest, or after the newest where `after` was given. */
  readonly more: boolean;
}

/** The newest messages of a chat, or those before or after a position; empty for a chat that may not be read. */
export async function readMessagePage(
  { db, account, admins }: MessageContext,
  scope: SearchScope,
  which: { chat: ChatId; limit: number; before?: ChatPosition; after?: ChatPosition },
): Promise<NamedMessagePage> {
  const { chat, limit, before, after } = which;
  const order = after === undefined ? sql`DESC` : sql`ASC`;
  // Restricted to this chat, so that the query reads no other.
  const { rows } = await selectNamedMessages(
    account,
    sql`${readableChats(account, scope, admins)} AND c.id = ${chat}`,
    sql`SELECT 0 AS tag, m.sent_at, m.id FROM messages m
      WHERE m.account_id = ${account} AND m.chat_id = ${chat} AND m.body <> ''
        ${before === undefined ? sql`` : sql`AND (m.sent_at, m.id) < (${before.at}, ${before.number})`}
        ${after === undefined ? sql`` : sql`AND (m.sent_at, m.id) > (${after.at}, ${after.number})`}
      ORDER BY m.sent_at ${order}, m.id ${order} LIMIT ${limit + 1}`,
  ).execute(db);
  const more = rows.length > limit;
  const page = after === undefined ? rows.slice(more ? 1 : 0) : rows.slice(0, limit);
  return { messages: page.map(untagged), more };
}

export interface Neighbours {
  readonly before: NamedMessage | null;
  readonly after: NamedMessage | null;
}

/** The messages right before and after a message, for the owner, by its number. */
export async function readNeighbours(
  { db, account, admins }: MessageContext,
  of: readonly NamedMessage[],
): Promise<ReadonlyMap<number, Neighbours>> {
  if (of.length === 0) return new Map();
  const hits = of
    .filter(({ digestKind }) => digestKind === undefined)
    .map(({ rowId, chat, at }) => ({ number: rowId, chat, at }));
  const beside = (compare: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql`
    SELECT m.sent_at, m.id FROM messages m
    WHERE m.account_id = ${account} AND m.chat_id = h.chat AND m.body <> ''
      AND (m.sent_at, m.id) ${compare} (h.at, h.number)
    ORDER BY m.sent_at ${order}, m.id ${order} LIMIT 1`;
  const { rows } = await selectNamedMessages(
    account,
    readableChats(account, { kind: 'owner' }, admins),
    sql`SELECT h.number AS tag, n.sent_at, n.id
      FROM json_to_recordset(${JSON.stringify(hits)}::json) AS h(number bigint, chat uuid, at timestamptz),
        LATERAL ((${beside(sql`<`, sql`DESC`)}) UNION ALL (${beside(sql`>`, sql`ASC`)})) n`,
  ).execute(db);
  return new Map(
    of.map(({ rowId, at }) => {
      const mine = rows.filter(({ tag }) => tag === rowId);
      const isBefore = (row: TaggedMessage) =>
        row.at < at || (+row.at === +at && row.rowId < rowId);
      const before = mine.find(isBefore);
      const after = mine.find((row) => !isBefore(row));
      return [
        rowId,
        { before: before ? untagged(before) : null, after: after ? untagged(after) : null },
      ];
    }),
  );
}

// OFFSET 0 keeps the planner from another order: each message is looked up by its key, before its chat is checked.
const selectNamedMessages = (
  account: AccountId,
  readable: RawBuilder<unknown>,
  keys: RawBuilder<unknown>,
): RawBuilder<TaggedMessage> => sql<TaggedMessage>`
  WITH readable AS MATERIALIZED (${readable}), keys AS MATERIALIZED (${keys})
  SELECT k.tag, m.message_id AS message, m.id AS "rowId", m.chat_id AS chat, c.kind = 'group' AS "isGroup",
    coalesce(${nameOfChat(account)}, '') AS "chatName", m.sender_id AS sender,
    CASE WHEN m.from_me THEN 'me' ELSE coalesce(${nameOf(account, sql`m.sender_id`)}, m.sender_name, '') END AS "senderName",
    m.sent_at AS at, ${messageTextSql(sql.ref('m'))} AS text, ${mediaJsonSql(sql.ref('m'))} AS media,
    m.details->'content' AS content
  FROM keys k
    JOIN LATERAL (SELECT * FROM messages l
      WHERE l.account_id = ${account} AND l.sent_at = k.sent_at AND l.id = k.id OFFSET 0) m ON true
    JOIN chats c ON c.account_id = ${account} AND c.id = m.chat_id
  WHERE c.id IN (SELECT id FROM readable)
  ORDER BY m.sent_at, m.id`;

/** The owner's name for the contact, else the contact's own, else the number. */
const nameOf = (account: AccountId, contact: RawBuilder<unknown>): RawBuilder<string | null> => sql`
  (SELECT coalesce(g.display_name, p.display_name, p.push_name, (
      SELECT CASE s.kind WHEN 'phone' THEN '+' ELSE '' END || s.value FROM contact_aliases s
      WHERE s.account_id = ${account} AND s.contact_id = p.id
      ORDER BY s.kind DESC, s.learnt_at DESC, s.value LIMIT 1))
    FROM contacts p LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
    WHERE p.account_id = ${account} AND p.id = ${contact})`;

const nameOfChat = (account: AccountId): RawBuilder<string | null> => sql`
  CASE WHEN c.kind = 'group'
    THEN coalesce((SELECT g.display_name FROM grants g
      WHERE g.account_id = c.account_id AND g.chat_id = c.id), c.subject, c.group_address)
    ELSE ${nameOf(account, sql`c.contact_id`)} END`;
