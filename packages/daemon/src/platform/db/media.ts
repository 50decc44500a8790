// Rows of media: what a message's readers are shown, and what the store has. The bytes are in `features/media`.
import type { MediaBody, MediaKind, MediaOrigin, MediaState } from '@relay/contract/api/media';
import type { AccountId, ChatId, MediaId, MessageId, TokenId } from '@relay/contract/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Transaction } from './database.ts';
import { ownContactsSql } from './names-and-addresses.ts';

export interface MediaRow {
  readonly id: MediaId;
  readonly chat_id: ChatId | null;
  /** Its message's number. */
  readonly message: number | null;
  readonly message_id: MessageId | null;
  readonly origin: MediaOrigin;
  readonly token_id: TokenId | null;
  readonly kind: MediaKind;
  readonly mime_type: string | null;
  readonly file_name: string | null;
  readonly seconds: number | null;
  readonly bytes: number | null;
  readonly sha256: Buffer | null;
  /** The name of its file in the store; null unless it is stored. */
  readonly object: string | null;
  readonly state: MediaState;
  readonly reason: string | null;
  readonly transcript: string | null;
  readonly language: string | null;
  readonly extracted: string | null;
  readonly view_once: boolean;
  readonly created_at: Date;
}

const COLUMNS = sql`m.id, m.chat_id, m.message, m.message_id, m.origin, m.token_id, m.kind, m.mime_type,
  m.file_name, m.seconds, m.bytes, m.sha256, o.object, m.state, m.reason, m.transcript, m.language, m.extracted,
  m.view_once, m.created_at`;

const FROM = sql`media m LEFT JOIN media_objects o ON o.account_id = m.account_id AND o.sha256 = m.sha256`;

export async function findMedia(db: Db, account: AccountId, id: MediaId): Promise<MediaRow | null> {
  const { rows } = await sql<MediaRow>`SELECT ${COLUMNS} FROM ${FROM}
    WHERE m.account_id = ${account} AND m.id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** By the number of the message. */
export async function readMediaOf(
  db: Db,
  account: AccountId,
  messages: readonly number[],
): Promise<ReadonlyMap<number, MediaRow>> {
  if (messages.length === 0) return new Map();
  const { rows } = await sql<MediaRow & { message: number }>`SELECT ${COLUMNS} FROM ${FROM}
    WHERE m.account_id = ${account} AND m.message = ANY(${messages}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [row.message, row]));
}

/** As messages carry it. */
export const toMediaBody = (row: MediaRow | MediaJson): MediaBody => ({
  id: row.id,
  kind: row.kind,
  mimetype: row.mime_type,
  bytes: row.bytes,
  sha256: row.sha256?.toString('hex') ?? null,
  state: row.state,
  ...(row.reason === null ? {} : { reason: row.reason }),
  ...(row.transcript === null ? {} : { transcript: row.transcript }),
  ...(row.language === null ? {} : { language: row.language }),
  ...(row.file_name === null ? {} : { file_name: row.file_name }),
  ...(row.seconds === null ? {} : { seconds: row.seconds }),
});

/** As a message's query selects it. */
export type MediaJson = Pick<
  MediaRow,
  | 'id'
  | 'kind'
  | 'mime_type'
  | 'bytes'
  | 'state'
  | 'reason'
  | 'transcript'
  | 'language'
  | 'file_name'
  | 'seconds'
> & { readonly sha256: string | null };

/** The media of a row of `messages`, for `toMediaBody`; null if it has none. */
export const mediaJsonSql = (message: RawBuilder<unknown>): RawBuilder<MediaJson | null> =>
  sql<MediaJson | null>`(SELECT json_build_object('id', d.id, 'kind', d.kind, 'mime_type', d.mime_type,
      'bytes', d.bytes, 'sha256', encode(d.sha256, 'hex'), 'state', d.state, 'reason', d.reason, 'transcript', d.transcript,
      'language', d.language, 'file_name', d.file_name, 'seconds', d.seconds)
    FROM media d WHERE d.account_id = ${message}.account_id AND d.message = ${message}.id)`;

interface ObjectToRecord {
  readonly sha256: Buffer;
  readonly bytes: number;
  readonly object: string;
}

/** A statement, for the caller that writes the rows of `media` which refer to these objects; each occurs once. */
export const recordObjectsSql = (
  account: AccountId,
  objects: readonly ObjectToRecord[],
): RawBuilder<unknown> => sql`
  INSERT INTO media_objects (account_id, sha256, bytes, object)
  SELECT ${account}::bigint, * FROM unnest(${objects.map(({ sha256 }) => sha256)}::bytea[],
    ${objects.map(({ bytes }) => bytes)}::bigint[], ${objects.map(({ object }) => object)}::text[])
  ON CONFLICT (account_id, sha256) DO UPDATE SET object = excluded.object, bytes = excluded.bytes`;

// Which received files are downloaded: only those of chats that an agent may read.

/**
 * The ids of chats that agents read: by a grant, the owner's own, those of open conversations, and observed groups.
 * `admins` are the owner's other numbers, in digits.
 */
const chatsOfAgentsSql = (
  account: AccountId,
  admins: readonly string[],
): RawBuilder<unknown> => sql`
  SELECT c.id FROM chats c WHERE c.account_id = ${account} AND (
    c.contact_id IN (SELECT g.contact_id FROM grants g WHERE g.account_id = ${account} AND g.can_read)
    OR c.id IN (SELECT g.chat_id FROM grants g WHERE g.account_id = ${account} AND g.can_read)
    OR c.contact_id IN (${ownContactsSql(account, admins)})
    OR c.id IN (SELECT i.chat_id FROM instances i WHERE i.account_id = ${account}
      AND i.state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED'))
    OR c.id IN (SELECT o.chat_id FROM observed_groups o WHERE o.account_id = ${account}))`;

interface ReceivedMedia {
  readonly chat: ChatId;
  /** The number of its message. */
  readonly message: number;
  readonly sentAt: Date;
  readonly id: MessageId;
  readonly kind: MediaKind;
  readonly mimeType: string | null;
  readonly fileName: string | null;
  readonly seconds: number | null;
  readonly size: number | null;
  readonly viewOnce: boolean;
}

/** Returns those to download. Call in the transaction that stores their messages. */
export async function recordReceivedMedia(
  tx: Transaction,
  account: AccountId,
  admins: readonly string[],
  received: readonly ReceivedMedia[],
): Promise<readonly MediaId[]> {
  if (received.length === 0) return [];
  const { rows } = await sql<{ id: MediaId; state: MediaState }>`
    INSERT INTO media (account_id, chat_id, message, message_at, message_id, origin, kind, mime_type, file_name,
      seconds, bytes, view_once, state, reason)
    SELECT ${account}::bigint, m.chat, m.message, m."sentAt", m.id, 'received', m.kind, m."mimeType", m."fileName",
      m.seconds, m.size, m."viewOnce", CASE WHEN r.reason IS NULL THEN 'waiting' ELSE 'refused' END, r.reason
    FROM json_to_recordset(${JSON.stringify(received)}::json) AS m(chat uuid, message bigint, "sentAt" timestamptz,
        id text, kind text, "mimeType" text, "fileName" text, seconds float8, size bigint, "viewOnce" boolean),
      LATERAL (SELECT CASE WHEN m."viewOnce" THEN 'view_once'
        WHEN m.chat NOT IN (${chatsOfAgentsSql(account, admins)}) THEN 'no_read_grant' END AS reason) r
    ON CONFLICT DO NOTHING RETURNING id, state`.execute(tx);
  return rows.filter(({ state }) => state === 'waiting').map(({ id }) => id);
}

const reopenableSql = (account: AccountId, admins: readonly string[], since: Date) => sql<boolean>`
  account_id = ${account} AND state = 'refused' AND reason = 'no_read_grant' AND message_at >= ${since}
    AND chat_id IN (${chatsOfAgentsSql(account, admins)})`;

/** Whether `reopenRefusedMedia` would find something. */
export async function hasReopenableMedia(
  db: Db,
  account: AccountId,
  admins: readonly string[],
  since: Date,
): Promise<boolean> {
  const { rows } =
    await sql`SELECT FROM media WHERE ${reopenableSql(account, admins, since)} LIMIT 1`.execute(db);
  return rows.length > 0;
}

/** Media that was refused only because no agent could read its chat, and now one can. Returns those to download. */
export async function reopenRefusedMedia(
  tx: Transaction,
  account: AccountId,
  admins: readonly string[],
  since: Date,
): Promise<readonly MediaId[]> {
  const { rows } = await sql<{ id: MediaId }>`
    UPDATE media SET state = 'waiting', reason = NULL WHERE ${reopenableSql(account, admins, since)}
    RETURNING id`.execute(tx);
  return rows.map(({ id }) => id);
}

interface SentMedia {
  /** What was sent. */
  readonly file: MediaId;
  readonly chat: ChatId;
  /** The number of its message. */
  readonly message: number;
  readonly id: MessageId;
  readonly sentAt: Date;
  /** As it was sent: an audio file may have become a voice message. */
  readonly kind: string | null;
  readonly seconds: number | null;
}

/**
 * A message that Relay sent has media of its own: the same content as what was sent, with what is known of it. An
 * upload stays as it is and can be sent again.
 */
export async function copyMediaToMessages(
  tx: Transaction,
  account: AccountId,
  sent: readonly SentMedia[],
): Promise<void> {
  if (sent.length === 0) return;
  await sql`INSERT INTO media (account_id, chat_id, message, message_at, message_id, origin, kind, mime_type,
      file_name, seconds, bytes, sha256, state, understood, transcript, language, extracted, understood_by, stored_at)
    SELECT m.account_id, n.chat, n.message, n."sentAt", n.id, 'sent', coalesce(n.kind, m.kind), m.mime_type,
      m.file_name, coalesce(m.seconds, n.seconds), m.bytes, m.sha256, m.state,
      CASE WHEN m.understood = 'done' THEN 'done' ELSE 'not_needed' END, m.transcript, m.language, m.extracted,
      m.understood_by, m.stored_at
    FROM json_to_recordset(${JSON.stringify(sent)}::json) AS n(file uuid, chat uuid, message bigint,
        id text, "sentAt" timestamptz, kind text, seconds float8)
      JOIN media m ON m.account_id = ${account} AND m.id = n.file AND m.state = 'stored'
    ON CONFLICT DO NOTHING`.execute(tx);
}
