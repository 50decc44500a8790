// What each webhook is told, one row for each: ids and codes, how often it was tried and what came of it. The
// same event is told to the same webhook once, whoever follows the log and however often.
import type { DeliveryState, ListDeliveries } from '@relay/core/api/webhooks';
import type { AccountId, DeliveryId, WebhookId } from '@relay/core/ids';
import type { DeliveryFailure } from '@relay/core/webhooks/failure';
import type { DeliveryType } from '@relay/core/webhooks/kinds';
import type { Facts } from '@relay/core/webhooks/told';
import { sql } from 'kysely';
import type { Reader, Transaction } from '../database.ts';
import { COLUMNS, type WebhookRow } from './webhooks.ts';

export interface NewDelivery {
  readonly webhook: WebhookId;
  readonly type: DeliveryType;
  readonly facts: Facts;
  readonly cursor: string;
  readonly at: string;
}

export interface Queued {
  readonly id: DeliveryId;
  readonly webhook: WebhookId;
  readonly facts: Facts;
}

export async function insertDeliveries(
  tx: Transaction,
  account: AccountId,
  deliveries: readonly NewDelivery[],
  now: Date,
): Promise<readonly Queued[]> {
  if (deliveries.length === 0) return [];
  const { rows } = await sql<Queued>`
    INSERT INTO webhook_deliveries (account_id, webhook_id, type, facts, cursor, event_at, next_at, created_at)
    SELECT ${account}::bigint, d.webhook, d.type, d.facts, d.cursor, d.at, ${now}, ${now}
    FROM json_to_recordset(${JSON.stringify(deliveries)}::json)
      AS d(webhook uuid, type text, facts jsonb, cursor text, at timestamptz)
    ON CONFLICT (account_id, webhook_id, cursor, type) DO NOTHING
    RETURNING id, webhook_id AS webhook, facts`.execute(tx);
  return rows;
}

export interface DeliveryRow {
  readonly id: DeliveryId;
  readonly type: DeliveryType;
  readonly facts: Facts;
  readonly event_at: Date;
  readonly state: DeliveryState;
  readonly attempts: number;
}

export interface DueDelivery {
  readonly delivery: DeliveryRow;
  readonly webhook: WebhookRow;
}

export async function dueDelivery(
  db: Reader,
  account: AccountId,
  id: DeliveryId,
): Promise<DueDelivery | null> {
  const { rows } = await sql<{ delivery: DeliveryRow & { event_at: string } } & WebhookRow>`
    SELECT ${COLUMNS}, json_build_object('id', d.id, 'type', d.type, 'facts', d.facts, 'event_at', d.event_at,
      'state', d.state, 'attempts', d.attempts) AS delivery
    FROM webhook_deliveries d JOIN webhooks w ON w.account_id = d.account_id AND w.id = d.webhook_id
    WHERE d.account_id = ${account} AND d.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { delivery, ...webhook } = row;
  return { webhook, delivery: { ...delivery, event_at: new Date(delivery.event_at) } };
}

export interface Settled {
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly status: number | null;
  readonly failure: DeliveryFailure | null;
  /** When it is tried again. */
  readonly nextAt: Date | null;
}

export async function settleDelivery(
  tx: Transaction,
  account: AccountId,
  id: DeliveryId,
  { state, attempts, status, failure, nextAt }: Settled,
  now: Date,
): Promise<void> {
  await sql`UPDATE webhook_deliveries SET state = ${state}, attempts = ${attempts}, last_status = ${status},
      failure = ${failure}, next_at = ${nextAt}, settled_at = ${state === 'pending' ? null : now}
    WHERE account_id = ${account} AND id = ${id}`.execute(tx);
}

/** A ping: tried once, by somebody who waits for the answer. */
export async function insertPing(
  tx: Transaction,
  account: AccountId,
  { id, webhook, settled }: { id: DeliveryId; webhook: WebhookId; settled: Settled },
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

const LISTED = sql`id, seq, type, facts, event_at, state, attempts, next_at, last_status, failure, settled_at`;

/** The newest first. */
export async function listDeliveries(
  db: Reader,
  account: AccountId,
  webhook: WebhookId,
  { state, cursor, limit }: ListDeliveries,
): Promise<readonly ListedDelivery[]> {
  const { rows } = await sql<ListedDelivery>`SELECT ${LISTED} FROM webhook_deliveries
    WHERE account_id = ${account} AND webhook_id = ${webhook}
      AND (${state ?? null}::text IS NULL OR state = ${state ?? null})
      AND (${cursor ?? null}::bigint IS NULL OR seq < ${cursor ?? null}::bigint)
    ORDER BY seq DESC LIMIT ${limit}`.execute(db);
  return rows;
}

/** By its id, or by the beginning of it. */
export async function findDeliveries(
  db: Reader,
  account: AccountId,
  webhook: WebhookId,
  given: string,
): Promise<readonly ListedDelivery[]> {
  const { rows } = await sql<ListedDelivery>`SELECT ${LISTED} FROM webhook_deliveries
    WHERE account_id = ${account} AND webhook_id = ${webhook} AND starts_with(id::text, ${given.toLowerCase()})
    ORDER BY seq DESC LIMIT 2`.execute(db);
  return rows;
}

/** To be told anew, from the first attempt on. Those that wait already are left as they are. */
export async function reopen(
  tx: Transaction,
  account: AccountId,
  webhook: WebhookId,
  which: { readonly id: DeliveryId } | { readonly state: 'dead' },
  now: Date,
): Promise<readonly Queued[]> {
  const meant = 'id' in which ? sql`id = ${which.id}` : sql`state = ${which.state}`;
  const { rows } = await sql<Queued>`
    UPDATE webhook_deliveries SET state = 'pending', attempts = 0, next_at = ${now}, settled_at = NULL
    WHERE account_id = ${account} AND webhook_id = ${webhook} AND ${meant} AND state <> 'pending' AND type <> 'ping'
    RETURNING id, webhook_id AS webhook, facts`.execute(tx);
  return rows;
}

/** Those whose time is long over: whatever was to tell them has been lost. */
export async function strandedDeliveries(
  tx: Transaction,
  account: AccountId,
  before: Date,
): Promise<readonly Queued[]> {
  const { rows } = await sql<Queued>`
    SELECT id, webhook_id AS webhook, facts FROM webhook_deliveries
    WHERE account_id = ${account} AND state = 'pending' AND next_at < ${before}`.execute(tx);
  return rows;
}
