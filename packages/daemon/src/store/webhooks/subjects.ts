// What a delivery is about, read at the moment it is told. Null where it is gone by then: whatever was erased
// or forgotten since it happened is told to nobody.
import type { InstanceState } from '@relay/core/conversation/states';
import type { AccountId, ChatId, ContactId, InstanceId } from '@relay/core/ids';
import type { OutboxState } from '@relay/core/outbox/progress';
import type { Facts } from '@relay/core/webhooks/told';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';
import { peopleNamed, placesOf } from '../names.ts';
import { jidOf, newestAlias } from '../permissions.ts';

interface InChat {
  readonly chat: ChatId;
  readonly chat_kind: 'direct' | 'group';
}

export interface ToldMessage extends InChat {
  readonly message_id: string;
  /** Who wrote it. */
  readonly sender: ContactId | null;
  readonly sender_name: string | null;
  readonly contact: ContactId | null;
  readonly kind: string;
  readonly body: string;
  readonly sent_at: Date;
  readonly late: boolean;
  readonly from: string | null;
}

export async function toldMessage(
  db: Reader,
  account: AccountId,
  { number, message }: Facts,
): Promise<ToldMessage | null> {
  const { rows } = await sql<
    Omit<ToldMessage, 'from'> & { phone: string | null; lid: string | null }
  >`
    SELECT m.message_id, m.chat_id AS chat, c.kind AS chat_kind, m.sender_id AS sender, m.sender_name,
      c.contact_id AS contact, m.kind, m.body, m.sent_at, m.late,
      ${newestAlias('phone', sql.ref('p'))} AS phone, ${newestAlias('lid', sql.ref('p'))} AS lid
    FROM message_keys k JOIN messages m ON m.account_id = k.account_id AND m.sent_at = k.sent_at AND m.id = k.id
      JOIN chats c ON c.account_id = m.account_id AND c.id = m.chat_id
      LEFT JOIN contacts p ON p.account_id = m.account_id AND p.id = m.sender_id
    WHERE k.account_id = ${account} AND k.message_id = ${message} AND k.id = ${number}`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { phone, lid, ...told } = row;
  return { ...told, from: jidOf({ phone, lid }) };
}

export interface ToldOutgoing extends InChat {
  readonly outbox: string;
  readonly message_id: string;
  readonly contact: ContactId | null;
  readonly instance: InstanceId | null;
  readonly state: OutboxState;
  readonly body: string;
  readonly failure: string | null;
}

export async function toldOutgoing(
  db: Reader,
  account: AccountId,
  { outbox }: Facts,
): Promise<ToldOutgoing | null> {
  const { rows } = await sql<ToldOutgoing>`
    SELECT o.id AS outbox, o.message_id, o.chat_id AS chat, c.kind AS chat_kind, c.contact_id AS contact,
      o.instance_id AS instance, o.state, o.body, o.failure
    FROM outbox o JOIN chats c ON c.account_id = o.account_id AND c.id = o.chat_id
    WHERE o.account_id = ${account} AND o.id = ${outbox}`.execute(db);
  return rows[0] ?? null;
}

export interface ToldConversation {
  readonly id: InstanceId;
  readonly chat: ChatId;
  readonly contact: ContactId;
  readonly state: InstanceState;
  readonly objective: string;
  readonly reason: string | null;
}

export async function toldConversation(
  db: Reader,
  account: AccountId,
  { instance }: Facts,
): Promise<ToldConversation | null> {
  const { rows } = await sql<ToldConversation>`
    SELECT id, chat_id AS chat, contact_id AS contact, state, objective, coalesce(failure_reason, reason) AS reason
    FROM instances WHERE account_id = ${account} AND id = ${instance}`.execute(db);
  return rows[0] ?? null;
}

/** What a chat is called; null for one that is gone. */
export async function chatName(
  db: Reader,
  account: AccountId,
  chat: ChatId,
): Promise<string | null> {
  return (await placesOf(db, account, [], [chat])).get(chat)?.name ?? null;
}

export async function personName(
  db: Reader,
  account: AccountId,
  contact: ContactId | null,
): Promise<string | null> {
  if (contact === null) return null;
  return (await peopleNamed(db, account, [contact])).get(contact) ?? null;
}
