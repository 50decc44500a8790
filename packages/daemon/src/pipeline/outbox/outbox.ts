// Adds permitted messages to the outbox. A row needs a permit, and its message id is chosen here before any attempt, so
// that every attempt is the same message to its recipient. The row alone is the work to do: nothing else has to be in
// step with it.
import { randomBytes, randomUUID } from 'node:crypto';
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

interface NewOutboxMessage extends MessageIds {
  readonly body: string;
  /** The message that it replies to. */
  readonly quotes: MessageId | null;
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
  { id, messageId, body, quotes, firstContact, key }: NewOutboxMessage,
): Promise<OutboxMessage> {
  const parts = written.map((part, index) => sql`${sql.ref(`part${index}`)} AS (${part})`);
  await sql`
    WITH ${sql.join(parts)}
    INSERT INTO outbox (account_id, id, permit_id, chat_id, instance_id, message_id, body, quotes, first_contact,
      idempotency_key)
    VALUES (${permit.account}, ${id}, ${permit.id}, ${permit.chat}, ${permit.instance}, ${messageId},
      ${body}, ${quotes}, ${firstContact}, ${key})`.execute(tx);
  return { id, messageId, state: 'pending' };
}

/**
 * The message that was stored under this key before; null the first time. A concurrent caller with the same key waits
 * here until this transaction ends. The same key for another message is refused.
 */
export async function findByKey(
  tx: Transaction,
  account: AccountId,
  key: string,
  message: { readonly chat: ChatId; readonly text: string; readonly quotes?: MessageId },
): Promise<OutboxMessage | null> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${account}:${key}`}, 0))`.execute(tx);
  const known = await tx
    .selectFrom('outbox')
    .select(['id', 'message_id', 'chat_id', 'body', 'quotes', 'state'])
    .where('account_id', '=', account)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
  if (known === undefined) return null;
  const isSame =
    known.chat_id === message.chat &&
    known.body === message.text &&
    known.quotes === (message.quotes ?? null);
  if (!isSame) {
    throw new RelayError('key_reused');
  }
  return { id: known.id, messageId: known.message_id, state: known.state };
}

/** The form that WhatsApp's own web client uses. */
const newMessageId = () => `3EB0${randomBytes(9).toString('hex').toUpperCase()}` as MessageId;

// Finds a sent message by its id, for a recipient whose device could not decrypt it and asks again.

export async function findSent(
  db: Db,
  account: AccountId,
  id: MessageId,
): Promise<Pick<OutgoingMessage, 'text' | 'quote'> | null> {
  const { rows } = await sql<{ text: string; quoted: QuotedRow | null }>`
    SELECT o.body AS text, ${quotedSql(sql.ref('o'))} AS quoted FROM outbox o
    WHERE o.account_id = ${account} AND o.message_id = ${id}`.execute(db);
  const [row] = rows;
  return row === undefined ? null : { text: row.text, ...quoteOf(row.quoted) };
}

// The message that a reply quotes, read when the reply is sent. If it was erased or its author's address is unknown,
// the reply is sent without the quote.

export interface QuotedRow extends StoredMessageContent {
  readonly id: MessageId;
  readonly from_me: boolean;
  readonly author: string | null;
}

/** For a row of the outbox. */
export const quotedSql = (row: RawBuilder<unknown>) => sql<QuotedRow | null>`(
  SELECT json_build_object('id', q.message_id, 'from_me', q.from_me, 'kind', q.kind, 'body', q.body,
    'media', q.media, 'details', q.details,
    'author', coalesce(q.sender_address, CASE WHEN c.kind = 'direct' THEN ${CHAT_JID_SQL} END))
  FROM message_keys k JOIN messages q ON q.account_id = k.account_id AND q.sent_at = k.sent_at AND q.id = k.id
    JOIN chats c ON c.account_id = k.account_id AND c.id = k.chat_id
  WHERE k.account_id = ${row}.account_id AND k.message_id = ${row}.quotes AND k.chat_id = ${row}.chat_id LIMIT 1)`;

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
