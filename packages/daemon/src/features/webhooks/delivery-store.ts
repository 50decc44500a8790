// Stores deliveries, one row per webhook and event: ids, codes, the number of attempts and the result. An event is
// delivered to a webhook once, however often the log is followed.

import type { ReceivedContent } from '@relay/contract/api/received';
import type { DeliveryState, ListDeliveries } from '@relay/contract/api/webhooks';
import type { ResultStatus } from '@relay/contract/conversation/result';
import type { InstanceState } from '@relay/contract/conversation/states';
import type {
  AccountId,
  ChatId,
  ContactId,
  DeliveryId,
  InstanceId,
  WebhookId,
} from '@relay/contract/ids';
import type { OutboxState } from '@relay/contract/outbox/states';
import type { WebhookDeliveryType, WebhookEventType } from '@relay/contract/webhooks/event-types';
import type { EventFacts, EventPlace, MappedEvent } from '@relay/core/webhooks/event-mapping';
import type { DeliveryFailure } from '@relay/core/webhooks/failure';
import {
  type EventClient,
  type EventVisibility,
  visibilityOf,
} from '@relay/core/webhooks/visibility';
import { sql } from 'kysely';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { contactJid, newestAliasSql, readReachableChats } from '../../platform/db/grants.ts';
import { type MediaJson, mediaJsonSql } from '../../platform/db/media.ts';
import { loadChatNames, loadContactNames } from '../../platform/db/names-and-addresses.ts';
import { WEBHOOK_COLUMNS, type WebhookRow } from './webhooks.ts';

export interface NewDelivery {
  readonly webhook: WebhookId;
  readonly type: WebhookDeliveryType;
  readonly facts: EventFacts;
  readonly cursor: string;
  readonly at: string;
}

export interface QueuedDelivery {
  readonly id: DeliveryId;
  readonly webhook: WebhookId;
  readonly facts: EventFacts;
}

export async function insertDeliveries(
  tx: Transaction,
  account: AccountId,
  deliveries: readonly NewDelivery[],
  now: Date,
): Promise<readonly QueuedDelivery[]> {
  if (deliveries.length === 0) return [];
  const { rows } = await sql<QueuedDelivery>`
    INSERT INTO webhook_deliveries (account_id, webhook_id, type, facts, cursor, event_at, next_at, created_at)
    SELECT ${account}::bigint, d.webhook, d.type, d.facts, d.cursor, d.at, ${now}, ${now}
    FROM json_to_recordset(${JSON.stringify(deliveries)}::json)
      AS d(webhook uuid, type text, facts jsonb, cursor text, at timestamptz)
    ON CONFLICT (account_id, webhook_id, cursor, type) DO NOTHING
    RETURNING id, webhook_id AS webhook, facts`.execute(tx);
  return rows;
}

interface DeliveryRow {
  readonly id: DeliveryId;
  readonly type: WebhookDeliveryType;
  readonly facts: EventFacts;
  readonly event_at: Date;
  readonly state: DeliveryState;
  readonly attempts: number;
}

export interface DueDelivery {
  readonly delivery: DeliveryRow;
  readonly webhook: WebhookRow;
}

export async function readDueDelivery(
  db: Db,
  account: AccountId,
  id: DeliveryId,
): Promise<DueDelivery | null> {
  const { rows } = await sql<{ delivery: DeliveryRow & { event_at: string } } & WebhookRow>`
    SELECT ${WEBHOOK_COLUMNS}, json_build_object('id', d.id, 'type', d.type, 'facts', d.facts, 'event_at', d.event_at,
      'state', d.state, 'attempts', d.attempts) AS delivery
    FROM webhook_deliveries d JOIN webhooks w ON w.account_id = d.account_id AND w.id = d.webhook_id
    WHERE d.account_id = ${account} AND d.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { delivery, ...webhook } = row;
  return { webhook, delivery: { ...delivery, event_at: new Date(delivery.event_at) } };
}

export interface DeliverySettlement {
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly status: number | null;
  readonly failure: DeliveryFailure | null;
  /** The time of the next attempt. */
  readonly nextAt: Date | null;
}

export async function settleDelivery(
  tx: Transaction,
  account: AccountId,
  id: DeliveryId,
  { state, attempts, status, failure, nextAt }: DeliverySettlement,
  now: Date,
): Promise<void> {
  await sql`UPDATE webhook_deliveries SET state = ${state}, attempts = ${attempts}, last_status = ${status},
      failure = ${failure}, next_at = ${nextAt}, settled_at = ${state === 'pending' ? null : now}
    WHERE account_id = ${account} AND id = ${id}`.execute(tx);
}

/** A ping: tried once, for a caller that waits for the answer. */
export async function insertPing(
  tx: Transaction,
  account: AccountId,
  { id, webhook, settled }: { id: DeliveryId; webhook: WebhookId; settled: DeliverySettlement },
  now: Date,
): Promise<void> {
  await sql`INSERT INTO webhook_deliveries (account_id, id, webhook_id, type, event_at, state, attempts,
      last_status, failure, created_at, settled_at)
    VALUES (${account}, ${id}, ${webhook}, 'ping', ${now}, ${settled.state}, ${settled.attempts},
      ${settled.status}, ${settled.failure}, ${now}, ${now})`.execute(tx);
}

export interface ListedDelivery extends DeliveryRow {
  readonly seq: number;
  readonly next_at: Date | null;
  readonly last_status: number | null;
  readonly failure: string | null;
  readonly settled_at: Date | null;
}

const LISTED_COLUMNS = sql`id, seq, type, facts, event_at, state, attempts, next_at, last_status, failure, settled_at`;

/** Newest first. */
export async function listDeliveries(
  db: Db,
  account: AccountId,
  webhook: WebhookId,
  { state, cursor, limit }: ListDeliveries,
): Promise<readonly ListedDelivery[]> {
  const { rows } = await sql<ListedDelivery>`SELECT ${LISTED_COLUMNS} FROM webhook_deliveries
    WHERE account_id = ${account} AND webhook_id = ${webhook}
      AND (${state ?? null}::text IS NULL OR state = ${state ?? null})
      AND (${cursor ?? null}::bigint IS NULL OR seq < ${cursor ?? null}::bigint)
    ORDER BY seq DESC LIMIT ${limit}`.execute(db);
  return rows;
}

/** By id, or by the beginning of it. */
export async function findDeliveries(
  db: Db,
  account: AccountId,
  webhook: WebhookId,
  given: string,
): Promise<readonly ListedDelivery[]> {
  const { rows } = await sql<ListedDelivery>`SELECT ${LISTED_COLUMNS} FROM webhook_deliveries
    WHERE account_id = ${account} AND webhook_id = ${webhook} AND starts_with(id::text, ${given.toLowerCase()})
    ORDER BY seq DESC LIMIT 2`.execute(db);
  return rows;
}

/** Makes deliveries pending again, from the first attempt on. Pending ones stay as they are. */
export async function reopenDeliveries(
  tx: Transaction,
  account: AccountId,
  webhook: WebhookId,
  which: { readonly id: DeliveryId } | { readonly state: 'dead' },
  now: Date,
): Promise<readonly QueuedDelivery[]> {
  const meant = 'id' in which ? sql`id = ${which.id}` : sql`state = ${which.state}`;
  const { rows } = await sql<QueuedDelivery>`
    UPDATE webhook_deliveries SET state = 'pending', attempts = 0, next_at = ${now}, settled_at = NULL
    WHERE account_id = ${account} AND webhook_id = ${webhook} AND ${meant} AND state <> 'pending' AND type <> 'ping'
    RETURNING id, webhook_id AS webhook, facts`.execute(tx);
  return rows;
}

/** Deliveries that are long overdue: their jobs have been lost. */
export async function findStrandedDeliveries(
  tx: Transaction,
  account: AccountId,
  before: Date,
): Promise<readonly QueuedDelivery[]> {
  const { rows } = await sql<QueuedDelivery>`
    SELECT id, webhook_id AS webhook, facts FROM webhook_deliveries
    WHERE account_id = ${account} AND state = 'pending' AND next_at < ${before}`.execute(tx);
  return rows;
}

// Finds the chat, the contact and the direction of an event, for the filters of webhooks. Null when the subject no
// longer exists: then there is nothing to deliver.

export interface LocatedEvent {
  readonly type: WebhookEventType;
  readonly facts: EventFacts;
  readonly place: EventPlace;
}

interface LocatedRow {
  n: number;
  chat: string | null;
  contact: string | null;
  from_me: boolean | null;
  message: boolean;
  outbox: boolean;
  instance: boolean;
  approval: boolean;
}

/** In the given order. */
export async function locateEvents(
  tx: Db,
  account: AccountId,
  happenings: readonly MappedEvent[],
): Promise<readonly (LocatedEvent | null)[]> {
  if (happenings.length === 0) return [];
  const asked = happenings.map(({ facts }, n) => ({ ...facts, n }));
  const { rows } = await sql<LocatedRow>`
    SELECT a.n, c.id AS chat, coalesce(c.contact_id, (p.intent->'of'->>'contact')::uuid) AS contact, m.from_me,
      m.id IS NOT NULL AS message, o.id IS NOT NULL AS outbox, i.id IS NOT NULL AS instance, p.id IS NOT NULL AS approval
    FROM json_to_recordset(${JSON.stringify(asked)}::json)
        AS a(n int, number bigint, message text, chat uuid, outbox uuid, instance uuid, approval uuid)
      LEFT JOIN message_keys k ON k.account_id = ${account} AND k.message_id = a.message AND k.id = a.number
      LEFT JOIN messages m ON m.account_id = k.account_id AND m.sent_at = k.sent_at AND m.id = k.id
      LEFT JOIN outbox o ON o.account_id = ${account} AND o.id = a.outbox
      LEFT JOIN approvals p ON p.account_id = ${account} AND p.id = a.approval
      LEFT JOIN instances i ON i.account_id = ${account} AND i.id = coalesce(a.instance, p.instance_id)
      LEFT JOIN chats c ON c.account_id = ${account} AND c.id = coalesce(m.chat_id, o.chat_id, i.chat_id,
        (p.intent->>'chat')::uuid, (p.intent->'of'->>'chat')::uuid, a.chat)`.execute(tx);
  const found = new Map(rows.map((row) => [row.n, row]));
  return happenings.map((happening, n) => locateEvent(happening, found.get(n)));
}

function locateEvent(
  { type, facts }: MappedEvent,
  row: LocatedRow | undefined,
): LocatedEvent | null {
  if (row === undefined || !isSubjectThere(type, facts, row)) return null;
  const { chat, contact } = row;
  const state = type !== 'health' && typeof facts.state === 'string' ? facts.state : null;
  const known = chat === null ? facts : { ...facts, chat };
  if (type !== 'message') {
    const direction = type === 'message.sent' ? 'out' : null;
    return { type, facts: known, place: { chat, contact, direction, state } };
  }
  return row.from_me
    ? {
        type: 'message.sent',
        facts: { ...known, state: 'sent' },
        place: { chat, contact, direction: 'out', state: 'sent' },
      }
    : { type: 'message.received', facts: known, place: { chat, contact, direction: 'in', state } };
}

function isSubjectThere(type: MappedEvent['type'], facts: EventFacts, row: LocatedRow): boolean {
  if (type === 'message') return row.message && row.chat !== null;
  if (type === 'message.sent' || 'outbox' in facts) return row.outbox && row.chat !== null;
  if (type === 'conversation.state') return row.instance && row.chat !== null;
  return !('approval' in facts) || row.approval;
}

/** What a client may see of each event, in the given order. */
export async function loadVisibilities(
  { db, account, admins }: { db: Db; account: AccountId; admins: readonly string[] },
  located: readonly (LocatedEvent | null)[],
  client: EventClient,
): Promise<readonly EventVisibility[]> {
  const ids = located.flatMap((event) =>
    event === null ? [] : [event.place.chat, event.place.contact].filter((id) => id !== null),
  );
  const known = await readReachableChats(db, account, { admins, contacts: null }, { ids });
  return located.map((event) =>
    event === null ? 'hidden' : visibilityOf(client, event.type, event.place, known),
  );
}

// Reads the subject of a delivery at the moment it is sent. Null when it no longer exists: what was erased since is not
// delivered.

interface ChatReference {
  readonly chat: ChatId;
  readonly chat_kind: 'direct' | 'group';
}

export interface DeliveredMessage extends ChatReference {
  readonly message_id: string;
  /** The author. */
  readonly sender: ContactId | null;
  readonly sender_name: string | null;
  readonly contact: ContactId | null;
  readonly kind: string;
  readonly body: string;
  readonly sent_at: Date;
  readonly late: boolean;
  readonly from: string | null;
  readonly media: MediaJson | null;
  readonly content: ReceivedContent | null;
}

export async function readDeliveredMessage(
  db: Db,
  account: AccountId,
  { number, message }: EventFacts,
): Promise<DeliveredMessage | null> {
  const { rows } = await sql<
    Omit<DeliveredMessage, 'from'> & { phone: string | null; lid: string | null }
  >`
    SELECT m.message_id, m.chat_id AS chat, c.kind AS chat_kind, m.sender_id AS sender, m.sender_name,
      c.contact_id AS contact, m.kind, m.body, m.sent_at, m.late, ${mediaJsonSql(sql.ref('m'))} AS media, m.details->'content' AS content,
      ${newestAliasSql('phone', sql.ref('p'))} AS phone, ${newestAliasSql('lid', sql.ref('p'))} AS lid
    FROM message_keys k JOIN messages m ON m.account_id = k.account_id AND m.sent_at = k.sent_at AND m.id = k.id
      JOIN chats c ON c.account_id = m.account_id AND c.id = m.chat_id
      LEFT JOIN contacts p ON p.account_id = m.account_id AND p.id = m.sender_id
    WHERE k.account_id = ${account} AND k.message_id = ${message} AND k.id = ${number}`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { phone, lid, ...columns } = row;
  return { ...columns, from: contactJid({ phone, lid }) };
}

interface DeliveredOutgoing extends ChatReference {
  readonly outbox: string;
  readonly message_id: string;
  readonly contact: ContactId | null;
  readonly instance: InstanceId | null;
  readonly state: OutboxState;
  readonly body: string;
  readonly failure: string | null;
}

export async function readDeliveredOutgoing(
  db: Db,
  account: AccountId,
  { outbox }: EventFacts,
): Promise<DeliveredOutgoing | null> {
  const { rows } = await sql<DeliveredOutgoing>`
    SELECT o.id AS outbox, o.message_id, o.chat_id AS chat, c.kind AS chat_kind, c.contact_id AS contact,
      o.instance_id AS instance, o.state, o.body, o.failure
    FROM outbox o JOIN chats c ON c.account_id = o.account_id AND c.id = o.chat_id
    WHERE o.account_id = ${account} AND o.id = ${outbox}`.execute(db);
  return rows[0] ?? null;
}

interface DeliveredConversation {
  readonly id: InstanceId;
  readonly chat: ChatId;
  readonly contact: ContactId;
  readonly state: InstanceState;
  readonly objective: string;
  readonly reason: string | null;
  readonly result_status: ResultStatus | null;
  readonly result: Record<string, unknown> | null;
  readonly result_reason: string | null;
}

export async function readDeliveredConversation(
  db: Db,
  account: AccountId,
  { instance }: EventFacts,
): Promise<DeliveredConversation | null> {
  const { rows } = await sql<DeliveredConversation>`
    SELECT id, chat_id AS chat, contact_id AS contact, state, objective, coalesce(failure_reason, reason) AS reason,
      result_status, result, result_reason
    FROM instances WHERE account_id = ${account} AND id = ${instance}`.execute(db);
  return rows[0] ?? null;
}

/** A chat's name; null when it no longer exists. */
export async function readChatName(
  db: Db,
  account: AccountId,
  chat: ChatId,
): Promise<string | null> {
  return (await loadChatNames(db, account, [], [chat])).get(chat)?.name ?? null;
}

export async function readContactName(
  db: Db,
  account: AccountId,
  contact: ContactId | null,
): Promise<string | null> {
  if (contact === null) return null;
  return (await loadContactNames(db, account, [contact])).get(contact) ?? null;
}
