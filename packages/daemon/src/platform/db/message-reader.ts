// Reads messages as seed 000 shows them: the last ones, oldest first. The cost depends on what is requested, not on
// what is stored: the last n messages of many chats are among the last n of the n newest chats.

import type { ReceivedContent } from '@relay/contract/api/received';
import type {
  BufferedMessage,
  MessageQuery,
  MessageReader,
  MessageRef,
} from '@relay/contract/api/whatsapp';
import type { AccountId, ChatId } from '@relay/contract/ids';
import { aliasOfJid } from '@relay/core/contacts/alias';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './database.ts';
import { type MediaJson, mediaJsonSql, toMediaBody } from './media.ts';
import { messageTextSql } from './message-text.ts';
import { aliasJidSql, ownChatKindSql } from './names-and-addresses.ts';

interface Row {
  number: number;
  id: string;
  body: string;
  sent_at: Date;
  from_me: boolean;
  group_address: string | null;
  push_name: string | null;
  /** The address of the other person, or of the sender in a group. */
  person: string | null;
  own: string | null;
  media: MediaJson | null;
  content: ReceivedContent | null;
}

export class PostgresMessageReader implements MessageReader {
  readonly #db: Db;
  readonly #account: AccountId;

  constructor(db: Db, account: AccountId) {
    this.#db = db;
    this.#account = account;
  }

  async recent({ contact, chat, limit }: MessageQuery): Promise<readonly BufferedMessage[]> {
    const digits = contact?.replace(/\D/g, '') ?? '';
    const newest =
      chat !== undefined
        ? inChat(this.#account, chat, limit)
        : digits === ''
          ? anywhere(this.#account, limit)
          : withDigits(this.#account, digits, limit);
    return readBufferedMessages(this.#db, this.#account, newest);
  }

  async byRefs(refs: readonly MessageRef[]): Promise<ReadonlyMap<number, BufferedMessage>> {
    if (refs.length === 0) return new Map();
    const { rows } = await details(this.#account, byName(this.#account, refs)).execute(this.#db);
    return new Map(rows.map((row) => [row.number, toBuffered(row)]));
  }
}

/** Selects `sent_at` and `id` of messages. */
type Keys = RawBuilder<unknown>;

/** The messages with these keys, oldest first. */
async function readBufferedMessages(
  db: Db,
  account: AccountId,
  keys: Keys,
  body?: RawBuilder<string>,
): Promise<BufferedMessage[]> {
  const { rows } = await details(account, keys, body).execute(db);
  return rows.map(toBuffered);
}

const VALUE = sql`s.value`;
const JID = aliasJidSql(sql.ref('s'));

/** The address a contact is shown by: the number if it is known, the newest if there are several. */
const shown = (what: RawBuilder<unknown>, account: AccountId, contact: RawBuilder<unknown>) => sql`
  SELECT ${what} FROM contact_aliases s WHERE s.account_id = ${account} AND s.contact_id = ${contact}
  ORDER BY s.kind DESC, s.learnt_at DESC, s.value LIMIT 1`;

/** By WhatsApp's id, which has an index; the number distinguishes messages that share it. */
const byName = (account: AccountId, refs: readonly MessageRef[]): Keys => sql`
  SELECT k.sent_at, k.id FROM message_keys k
    JOIN unnest(${refs.map(({ message }) => message)}::text[], ${refs.map(({ number }) => number)}::bigint[])
      AS ref(message_id, id) USING (message_id, id)
  WHERE k.account_id = ${account}`;

const anywhere = (account: AccountId, limit: number): Keys => sql`
  SELECT sent_at, id FROM messages WHERE account_id = ${account}
  ORDER BY sent_at DESC, id DESC LIMIT ${limit}`;

function inChat(account: AccountId, address: string, limit: number): Keys {
  const alias = aliasOfJid(address);
  return sql`
    SELECT sent_at, id FROM messages WHERE account_id = ${account} AND chat_id = (
      SELECT c.id FROM chats c WHERE c.account_id = ${account} AND c.group_address = ${address}
      UNION ALL SELECT c.id FROM chats c
        JOIN contact_aliases a ON a.account_id = c.account_id AND a.contact_id = c.contact_id
        WHERE a.account_id = ${account} AND a.kind = ${alias?.kind ?? null} AND a.value = ${alias?.value ?? null})
    ORDER BY sent_at DESC, id DESC LIMIT ${limit}`;
}

/**
 * Messages whose sender or recipient has the digits: in the chats of people and groups that have them, by people who
 * have them, and, if the account's own number has them, in every direct chat and by the account itself.
 */
const withDigits = (account: AccountId, digits: string, limit: number): Keys => sql`
  WITH people AS MATERIALIZED (
    SELECT a.contact_id AS id FROM contact_aliases a
    WHERE a.account_id = ${account} AND a.value LIKE ${`%${digits}%`} AND a.value = (${shown(VALUE, account, sql`a.contact_id`)})
  ), own AS MATERIALIZED (
    SELECT 1 FROM accounts WHERE id = ${account} AND coalesce(phone, lid) LIKE ${`%${digits}%`}
  ), places AS MATERIALIZED (
    SELECT c.id FROM chats c WHERE c.account_id = ${account} AND (c.contact_id IN (SELECT id FROM people)
      OR split_part(c.group_address, '@', 1) LIKE ${`%${digits}%`}
      OR (c.kind = 'direct' AND EXISTS (SELECT FROM own)))
    ORDER BY c.last_message_at DESC NULLS LAST LIMIT ${limit}
  ), writers AS MATERIALIZED (
    SELECT c.id FROM contacts c WHERE c.account_id = ${account} AND c.id IN (SELECT id FROM people)
    ORDER BY c.last_message_at DESC NULLS LAST LIMIT ${limit}
  )
  SELECT sent_at, id FROM (
    SELECT m.sent_at, m.id FROM places, LATERAL (
      SELECT sent_at, id FROM messages WHERE account_id = ${account} AND chat_id = places.id
      ORDER BY sent_at DESC, id DESC LIMIT ${limit}) m
    UNION SELECT m.sent_at, m.id FROM writers, LATERAL (
      SELECT sent_at, id FROM messages WHERE account_id = ${account} AND sender_id = writers.id
      ORDER BY sent_at DESC, id DESC LIMIT ${limit}) m
    UNION SELECT m.sent_at, m.id FROM own, LATERAL (
      SELECT sent_at, id FROM messages WHERE account_id = ${account} AND sender_id IS NULL
      ORDER BY sent_at DESC, id DESC LIMIT ${limit}) m
  ) matching ORDER BY sent_at DESC, id DESC LIMIT ${limit}`;

const details = (
  account: AccountId,
  newest: Keys,
  body: RawBuilder<string> = sql<string>`m.body`,
): RawBuilder<Row> => sql<Row>`
  WITH newest AS MATERIALIZED (${newest})
  SELECT m.id AS number, m.message_id AS id, ${body} AS body, m.sent_at, m.from_me, c.group_address,
    CASE WHEN NOT m.from_me THEN coalesce(p.push_name, m.sender_name) END AS push_name,
    (${shown(JID, account, sql`p.id`)}) AS person,
    coalesce(o.phone || '@s.whatsapp.net', o.lid || '@lid') AS own,
    ${mediaJsonSql(sql.ref('m'))} AS media, m.details->'content' AS content
  FROM newest JOIN messages m ON m.account_id = ${account} AND m.sent_at = newest.sent_at AND m.id = newest.id
    JOIN accounts o ON o.id = m.account_id
    JOIN chats c ON c.account_id = m.account_id AND c.id = m.chat_id
    LEFT JOIN contacts p ON p.account_id = m.account_id AND p.id = coalesce(c.contact_id, m.sender_id)
  ORDER BY m.sent_at, m.id`;

function toBuffered(row: Row): BufferedMessage {
  const own = row.own ?? '';
  const person = row.person ?? '';
  const isGroup = row.group_address !== null;
  return {
    id: row.id,
    from: row.from_me ? own : person,
    fromName: row.push_name,
    to: row.group_address ?? (row.from_me ? person : own),
    body: row.body,
    timestamp: row.sent_at.getTime(),
    fromMe: row.from_me,
    isGroup,
    ...(row.media === null ? {} : { media: toMediaBody(row.media) }),
    ...(row.content === null ? {} : { content: row.content }),
  };
}

// The last messages that the owner's assistant may read. Grants are joined in the query: a chat whose grant was revoked
// a moment ago is not included. The cost depends on what is requested, not on what is stored.

interface ReadableQuery {
  /** By default all readable chats; the owner's own chats only if named here. */
  readonly chat?: ChatId;
  readonly limit: number;
  readonly from?: Date;
}

interface ReadableMessagePage {
  /** The last ones, oldest first. */
  readonly messages: readonly BufferedMessage[];
  /** The chats whose text is included. */
  readonly chats: readonly ChatId[];
}

export async function listReadableMessages(
  db: Db,
  account: AccountId,
  admins: readonly string[],
  { chat, limit, from }: ReadableQuery,
): Promise<ReadableMessagePage> {
  const granted = sql`EXISTS (SELECT FROM grants g WHERE g.account_id = c.account_id AND g.can_read
    AND CASE c.kind WHEN 'direct' THEN g.contact_id = c.contact_id ELSE g.chat_id = c.id END)`;
  const own = sql`${ownChatKindSql(sql.ref('c'), admins)} IS NOT NULL`;
  const places =
    chat === undefined
      ? sql`${granted} AND NOT ${own}`
      : sql`c.id = ${chat} AND (${granted} OR ${own})`;
  const { rows } = await sql<{ sent_at: string; id: number; chat: ChatId }>`
    SELECT m.sent_at::text, m.id, places.id AS chat FROM (
      SELECT c.id FROM chats c WHERE c.account_id = ${account} AND ${places}
      ORDER BY c.last_message_at DESC NULLS LAST LIMIT ${limit}) places, LATERAL (
      SELECT sent_at, id FROM messages WHERE account_id = ${account} AND chat_id = places.id
        AND sent_at >= ${from ?? new Date(0)}
      ORDER BY sent_at DESC, id DESC LIMIT ${limit}) m
    ORDER BY m.sent_at DESC, m.id DESC LIMIT ${limit}`.execute(db);
  const keys = sql`SELECT * FROM unnest(${rows.map((row) => row.sent_at)}::timestamptz[],
    ${rows.map((row) => row.id)}::bigint[]) AS key (sent_at, id)`;
  return {
    messages:
      rows.length === 0
        ? []
        : await readBufferedMessages(db, account, keys, messageTextSql(sql.ref('m'))),
    chats: [...new Set(rows.map((row) => row.chat))],
  };
}
