// Adds permitted messages to the outbox. A row needs a permit, and its message id is chosen here before any attempt, so
// that every attempt is the same message to its recipient. The row alone is the work to do: nothing else has to be in
// step with it.
import { randomBytes, randomUUID } from 'node:crypto';
import type { OutgoingContent } from '@relay/contract/api/outgoing';
import { RelayError } from '@relay/contract/errors';
import {
  type AccountId,
  type ChatId,
  type MessageId,
  type OutboxId,
  outboxId,
} from '@relay/contract/ids';
import type { OutboxState } from '@relay/contract/outbox/states';
import { type StoredMessageContent, toReadableMessage } from '@relay/core/messages/message';
import type { Permit } from '@relay/core/policy/permit';
import type { OutgoingMessage } from '@relay/core/ports/transport';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { CHAT_JID_SQL } from '../../platform/db/names-and-addresses.ts';
import { isSameContent } from '../../platform/db/seal.ts';

interface NewOutboxMessage extends MessageIds {
  readonly body: string;
  /** The message that it replies to. */
  readonly quotes: MessageId | null;
  /** Null: only text. */
  readonly content: OutgoingContent | null;
  readonly firstContact: boolean;
  /** The sender's idempotency key: the same key means the same message. */
  readonly key: string | null;
}

/** Chosen before the permit, which is valid for this one message. */
interface MessageIds {
  readonly id: OutboxId;
  readonly messageId: MessageId;
}

export interface OutboxMessage extends MessageIds {
  readonly state: OutboxState;
}

export const newMessageIds = (): MessageIds => ({
  id: outboxId(randomUUID()),
  messageId: newMessageId(),
});

/**
 * Runs in the caller's transaction, under the ledger's lock, so that rows are numbered in commit order. The same
 * statement inserts the permit and what belongs to it (`written`).
 */
export async function putMessage(
  tx: Transaction,
  permit: Permit,
  written: readonly RawBuilder<unknown>[],
  { id, messageId, body, quotes, content, firstContact, key }: NewOutboxMessage,
): Promise<OutboxMessage> {
  const parts = written.map((part, index) => sql`${sql.ref(`part${index}`)} AS (${part})`);
  await sql`
    WITH ${sql.join(parts)}
    INSERT INTO outbox (account_id, id, permit_id, chat_id, instance_id, message_id, body, quotes, content, first_contact,
      idempotency_key)
    VALUES (${permit.account}, ${id}, ${permit.id}, ${permit.chat}, ${permit.instance}, ${messageId},
      ${body}, ${quotes}, ${content === null ? null : JSON.stringify(content)}::jsonb, ${firstContact}, ${key})`.execute(
    tx,
  );
  return { id, messageId, state: 'pending' };
}

/** What a repeated request has to repeat. */
export interface KeyedMessage {
  readonly chat: ChatId;
  readonly text: string;
  readonly quotes?: MessageId;
  readonly content?: OutgoingContent;
}

/**
 * The message that was stored under this key before; null the first time. A concurrent caller with the same key waits
 * here until this transaction ends. The same key for another message is refused.
 */
export async function findByKey(
  tx: Transaction,
  account: AccountId,
  key: string,
  message: KeyedMessage,
): Promise<OutboxMessage | null> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${account}:${key}`}, 0))`.execute(tx);
  const known = await tx
    .selectFrom('outbox')
    .select(['id', 'message_id', 'chat_id', 'body', 'quotes', 'content', 'state'])
    .where('account_id', '=', account)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
  if (known === undefined) return null;
  const isSame =
    known.chat_id === message.chat &&
    known.body === message.text &&
    known.quotes === (message.quotes ?? null) &&
    isSameContent(known.content, message.content);
  if (!isSame) {
    throw new RelayError('key_reused');
  }
  return { id: known.id, messageId: known.message_id, state: known.state };
}

/** The form that WhatsApp's own web client uses. */
const newMessageId = () => `3EB0${randomBytes(9).toString('hex').toUpperCase()}` as MessageId;

// Finds a sent message by its id, for a recipient whose device could not decrypt it and asks again.

/** Opens what was built of a row's content; null for plain text. */
type OpenBuilt = (row: {
  readonly message_id: MessageId;
  readonly wire: Uint8Array | null;
}) => Uint8Array | null;

export async function findSent(
  db: Db,
  account: AccountId,
  id: MessageId,
  open: OpenBuilt = () => null,
): Promise<Pick<OutgoingMessage, 'text' | 'quote' | 'built'> | null> {
  const { rows } = await sql<{ text: string; quoted: QuotedRow | null; wire: Buffer | null }>`
    SELECT o.body AS text, ${quotedSql(sql.ref('o'))} AS quoted, o.wire FROM outbox o
    WHERE o.account_id = ${account} AND o.message_id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const built = open({ message_id: id, wire: row.wire });
  return { text: row.text, ...quoteOf(row.quoted), ...(built === null ? {} : { built }) };
}

// The message that a reply quotes, read when the reply is sent. If it was erased or its author's address is unknown,
// the reply is sent without the quote.

export interface QuotedRow extends StoredMessageContent {
  readonly id: MessageId;
  readonly from_me: boolean;
  readonly author: string | null;
}

/** For a row of the outbox. */
export const quotedSql = (row: RawBuilder<unknown>) => messageSql(placeOf(row), sql`${row}.quotes`);

/** The message that the content of a row is about: a reaction's, an edit's or a deletion's. */
export const targetSql = (row: RawBuilder<unknown>) =>
  sql<QuotedRow | null>`(CASE WHEN ${row}.content IS NOT NULL THEN ${messageSql(
    placeOf(row),
    sql`coalesce(${row}.content->>'to', ${row}.content->>'of')`,
  )} END)`;

const placeOf = (row: RawBuilder<unknown>) => ({
  account: sql`${row}.account_id`,
  chat: sql`${row}.chat_id`,
});

/** The message of the chat with this id. */
export const messageSql = (
  { account, chat }: { readonly account: RawBuilder<unknown>; readonly chat: RawBuilder<unknown> },
  id: RawBuilder<unknown>,
) => sql<QuotedRow | null>`(
  SELECT json_build_object('id', q.message_id, 'from_me', q.from_me, 'kind', q.kind, 'body', q.body,
    'media', q.media, 'details', q.details,
    'author', coalesce(q.sender_address, CASE WHEN c.kind = 'direct' THEN ${CHAT_JID_SQL} END))
  FROM message_keys k JOIN messages q ON q.account_id = k.account_id AND q.sent_at = k.sent_at AND q.id = k.id
    JOIN chats c ON c.account_id = k.account_id AND c.id = k.chat_id
  WHERE k.account_id = ${account} AND k.message_id = ${id} AND k.chat_id = ${chat}
  ORDER BY k.sender <> 'me' LIMIT 1)`;

/** A message that is more than text is quoted by its description. */
export function quoteOf(quoted: QuotedRow | null): Pick<OutgoingMessage, 'quote'> {
  if (quoted === null || (!quoted.from_me && quoted.author === null)) return {};
  const { label, text } = toReadableMessage(quoted);
  return {
    quote: {
      id: quoted.id,
      author: quoted.from_me ? null : quoted.author,
      text: text || (label ?? ''),
    },
  };
}
