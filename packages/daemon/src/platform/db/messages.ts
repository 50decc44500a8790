// Stores messages, each exactly once: a key in `message_keys` decides, in the statement that stores the message. All
// messages, received or sent, are written here.
import type { AccountId, ChatId, ContactId, MediaId, MessageId } from '@relay/contract/ids';
import { type IncomingMedia, type MessageDetails, TEXT_KINDS } from '@relay/core/messages/message';
import { toStorableText } from '@relay/core/messages/text';
import { sql } from 'kysely';
import type { Transaction } from './database.ts';
import { copyMediaToMessages } from './media.ts';

export interface MessageToStore {
  readonly chat: ChatId;
  /** Null if the account itself wrote it. */
  readonly sender: ContactId | null;
  readonly id: MessageId;
  readonly sentAt: Date;
  readonly kind: string;
  readonly body: string;
  readonly quotedId: string | null;
  readonly media: IncomingMedia | null;
  readonly details?: MessageDetails | null;
  readonly isLate: boolean;
  /** From WhatsApp, sent by Relay, from a notification forwarder, or from an exported chat. */
  readonly source: 'whatsapp' | 'relay' | 'notification' | 'import';
  /** The sender's displayed name, for notifications and exports; `sender` only if exactly one person has that name. */
  readonly senderName?: string;
  /** The inbox row it arrived in: its addresses and time are taken from there, and its content if it is not text. */
  readonly inboxSeq: number | null;
}

/** By contact, not by address: the same message under another address of the sender is the same message. */
const senderKey = ({ sender, senderName }: Pick<MessageToStore, 'sender' | 'senderName'>): string =>
  sender ?? (senderName === undefined ? 'me' : `name:${senderName}`);

const keyOf = (message: MessageToStore): string =>
  `${message.chat} ${senderKey(message)} ${message.id}`;

/** Returns the number of each new message by its index in the list, in order. */
export async function putMessages(
  tx: Transaction,
  account: AccountId,
  messages: readonly MessageToStore[],
): Promise<ReadonlyMap<number, number>> {
  const firsts = new Map<string, number>();
  messages.forEach((message, n) => {
    const key = keyOf(message);
    if (!firsts.has(key)) firsts.set(key, n);
  });
  const rows = [...firsts.values()].map((n) => ({ n, ...toRow(messages[n] as MessageToStore) }));
  if (rows.length === 0) return new Map();
  await ensureMonths(
    tx,
    rows.map((row) => row.sent_at),
  );
  const stored = await sql<{ n: number; id: number }>`
    WITH incoming AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::json) AS m(n int, chat_id uuid,
        sender text, sender_id uuid, message_id text, sent_at timestamptz, kind text, body text,
        quoted_id text, media jsonb, details jsonb, late boolean, source text, sender_name text, seq bigint, is_text boolean)
    ), fresh AS (
      INSERT INTO message_keys (account_id, chat_id, sender, message_id, id, sent_at)
      SELECT ${account}::bigint, chat_id, sender, message_id, nextval('message_ids'), sent_at
      FROM incoming ORDER BY n
      ON CONFLICT DO NOTHING
      RETURNING chat_id, sender, message_id, id
    ), stored AS (
      INSERT INTO messages (account_id, sent_at, id, chat_id, sender_id, from_me, message_id, kind, body,
        content, quoted_id, media, details, received_at, late, source, sender_name, chat_address, sender_address)
      SELECT ${account}::bigint, m.sent_at, f.id, m.chat_id, m.sender_id,
        m.sender_id IS NULL AND m.sender_name IS NULL, m.message_id, m.kind, m.body, CASE WHEN NOT m.is_text THEN i.content END, m.quoted_id, m.media,
        m.details, coalesce(i.received_at, now()), m.late, m.source, m.sender_name,
        CASE WHEN NOT m.is_text THEN i.chat END, i.sender
      FROM incoming m JOIN fresh f USING (chat_id, sender, message_id)
        LEFT JOIN inbox i ON i.account_id = ${account} AND i.done_at IS NULL AND i.seq = m.seq
    )
    SELECT n, id FROM incoming JOIN fresh USING (chat_id, sender, message_id) ORDER BY n`.execute(
    tx,
  );
  return new Map(stored.rows.map(({ n, id }) => [n, id]));
}

const toRow = (message: MessageToStore) => ({
  chat_id: message.chat,
  sender: senderKey(message),
  sender_id: message.sender,
  message_id: message.id,
  sent_at: message.sentAt.toISOString(),
  kind: message.kind,
  body: message.body,
  quoted_id: message.quotedId,
  media: message.media,
  details: message.details ?? null,
  late: message.isLate,
  source: message.source,
  sender_name: message.senderName ?? null,
  seq: message.inboxSeq,
  is_text: TEXT_KINDS.has(message.kind),
});

async function ensureMonths(tx: Transaction, times: readonly string[]): Promise<void> {
  const months = [...new Set(times.map((time) => time.slice(0, 7)))].sort();
  const days = months.map((month) => `${month}-15T00:00:00Z`);
  await sql`SELECT ensure_message_month(day) FROM unnest(${days}::timestamptz[]) AS day`.execute(
    tx,
  );
}

/** What a message changes in its chat. */
export interface ChatUpdate {
  readonly chat: ChatId;
  readonly lastMessageAt: Date;
  /** Messages by others since the account last wrote there. */
  readonly unread: number;
  /** The account wrote there: earlier messages count as read. */
  readonly isAnswered: boolean;
  /** The timer of disappearing messages; undefined if it is not mentioned. */
  readonly expiresAfterS?: number | null;
}

export async function updateChats(
  tx: Transaction,
  account: AccountId,
  news: readonly ChatUpdate[],
): Promise<void> {
  const rows = news.map(({ isAnswered, ...chat }) => ({
    ...chat,
    answered: isAnswered,
    timed: chat.expiresAfterS !== undefined,
  }));
  await sql`
    UPDATE chats c SET
      last_message_at = greatest(c.last_message_at, n."lastMessageAt"),
      unread_count = n.unread + CASE WHEN n.answered THEN 0 ELSE c.unread_count END,
      expires_after_s = CASE WHEN n.timed THEN n."expiresAfterS" ELSE c.expires_after_s END
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS n(chat uuid, "lastMessageAt" timestamptz,
      unread int, answered boolean, timed boolean, "expiresAfterS" int)
    WHERE c.account_id = ${account} AND c.id = n.chat`.execute(tx);
}

export interface MessageToRecord {
  readonly chat: ChatId;
  readonly id: MessageId;
  readonly body: string;
  /** The message that it replies to, or that it changes. */
  readonly quotes?: string | null;
  readonly sentAt: Date;
  /** What it is, if it is more than text. */
  readonly built?: {
    readonly kind: string;
    readonly media: IncomingMedia | null;
    readonly details: MessageDetails | null;
    /** The stored media that was sent. */
    readonly file: MediaId | null;
  };
}

/** WhatsApp reports whole seconds: a more exact time would sort after an answer of the same second. */
const wholeSecond = (at: Date): Date => new Date(Math.floor(at.getTime() / 1_000) * 1_000);

/**
 * Stores a message of the outbox that the server has accepted. Its echo from another device is the same message,
 * whichever comes first.
 */
export async function recordSent(
  tx: Transaction,
  account: AccountId,
  messages: readonly MessageToRecord[],
): Promise<void> {
  const sent = messages.map((one) => ({ ...one, sentAt: wholeSecond(one.sentAt) }));
  const numbers = await putMessages(
    tx,
    account,
    sent.map(({ chat, id, body, quotes = null, sentAt, built }) => ({
      chat,
      sender: null,
      id,
      sentAt,
      kind: built?.kind ?? 'conversation',
      body: toStorableText(body),
      quotedId: quotes,
      media: built?.media ?? null,
      details: built?.details ?? null,
      isLate: false,
      source: 'relay',
      inboxSeq: null,
    })),
  );
  const files = sent.flatMap(({ chat, id, sentAt, built }, index) => {
    const message = numbers.get(index);
    const file = built?.file ?? null;
    if (message === undefined || file === null) return [];
    const { kind = null, seconds = null } = built?.media ?? {};
    return [{ file, chat, message, id, sentAt, kind, seconds }];
  });
  await copyMediaToMessages(tx, account, files);
  await updateChats(
    tx,
    account,
    sent.map(({ chat, sentAt }) => ({ chat, lastMessageAt: sentAt, unread: 0, isAnswered: false })),
  );
}
