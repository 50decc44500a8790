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
import type { Permit } from '@relay/core/policy/permit';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Transaction } from '../../platform/db/database.ts';

interface NewOutboxMessage extends MessageIds {
  readonly body: string;
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
  { id, messageId, body, firstContact, key }: NewOutboxMessage,
): Promise<OutboxMessage> {
  const parts = written.map((part, index) => sql`${sql.ref(`part${index}`)} AS (${part})`);
  await sql`
    WITH ${sql.join(parts)}
    INSERT INTO outbox (account_id, id, permit_id, chat_id, instance_id, message_id, body, first_contact,
      idempotency_key)
    VALUES (${permit.account}, ${id}, ${permit.id}, ${permit.chat}, ${permit.instance}, ${messageId},
      ${body}, ${firstContact}, ${key})`.execute(tx);
  return { id, messageId, state: 'pending' };
}

/**
 * The message that was stored under this key before; null the first time. A concurrent caller with the same key waits
 * here until this transaction ends. The same key for another text is refused.
 */
export async function findByKey(
  tx: Transaction,
  account: AccountId,
  key: string,
  message: { readonly chat: ChatId; readonly text: string },
): Promise<OutboxMessage | null> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${account}:${key}`}, 0))`.execute(tx);
  const known = await tx
    .selectFrom('outbox')
    .select(['id', 'message_id', 'chat_id', 'body', 'state'])
    .where('account_id', '=', account)
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
  if (known === undefined) return null;
  if (known.chat_id !== message.chat || known.body !== message.text) {
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
): Promise<{ readonly text: string } | null> {
  const row = await db
    .selectFrom('outbox')
    .select('body')
    .where('account_id', '=', account)
    .where('message_id', '=', id)
    .executeTakeFirst();
  return row === undefined ? null : { text: row.body };
}
