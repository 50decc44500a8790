// Stores the owner's webhooks: URL, events, filter and state. Secrets are stored sealed and are opened to sign.

import type { Webhook } from '@relay/contract/api/webhooks';
import type { AccountId, ContactId, TokenId, WebhookId } from '@relay/contract/ids';
import type { WebhookEventType } from '@relay/contract/webhooks/event-types';
import type { WebhookFilter } from '@relay/contract/webhooks/events';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Transaction } from '../../platform/db/database.ts';

/** Why Relay switched a webhook off. */
export type WebhookNote = 'gone' | 'failing' | 'restored';

export interface WebhookRow {
  readonly id: WebhookId;
  /** The client that it belongs to; null for the owner's. */
  readonly token_id: TokenId | null;
  readonly name: string;
  readonly url: string;
  readonly events: WebhookEventType[];
  readonly filter: WebhookFilter;
  readonly include_text: boolean;
  readonly enabled: boolean;
  readonly note: WebhookNote | null;
  readonly created_at: Date;
  readonly rotated_at: Date | null;
  readonly last_delivered_at: Date | null;
  readonly failing_since: Date | null;
}

export interface CountedWebhook extends WebhookRow {
  readonly pending: number;
  readonly dead: number;
  readonly chats: Webhook['chats'];
}

export const WEBHOOK_COLUMNS = sql`w.id, w.token_id, w.name, w.url, w.events, w.filter, w.include_text, w.enabled, w.note, w.created_at,
  w.rotated_at, w.last_delivered_at, w.failing_since`;

const isNamedSql = (given: string): RawBuilder<unknown> =>
  sql`(w.name = ${given} OR w.id::text = ${given.toLowerCase()})`;

/** By name. */
export const listWebhooks = (db: Db, account: AccountId): Promise<readonly CountedWebhook[]> =>
  readCountedWebhooks(db, account, sql`true`);

export async function findWebhook(
  db: Db,
  account: AccountId,
  given: string,
): Promise<CountedWebhook | null> {
  const [row] = await readCountedWebhooks(db, account, isNamedSql(given));
  return row ?? null;
}

async function readCountedWebhooks(
  db: Db,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<readonly CountedWebhook[]> {
  const { rows } = await sql<CountedWebhook>`
    SELECT ${WEBHOOK_COLUMNS}, coalesce(d.pending, 0) AS pending, coalesce(d.dead, 0) AS dead,
      CASE WHEN w.filter ?| ARRAY['contacts', 'chats'] THEN coalesce(n.chats, '[]'::json) END AS chats
    FROM webhooks w LEFT JOIN LATERAL (
        SELECT count(*) FILTER (WHERE d.state = 'pending') AS pending, count(*) FILTER (WHERE d.state = 'dead') AS dead
        FROM webhook_deliveries d
        WHERE d.account_id = w.account_id AND d.webhook_id = w.id AND d.state IN ('pending', 'dead')
          AND d.type <> 'ping') d ON true
      LEFT JOIN LATERAL (
        SELECT json_agg(json_build_object('id', one.id, 'kind', one.kind, 'name', one.name) ORDER BY one.name, one.id) AS chats
        FROM (
          SELECT p.id, 'person' AS kind, coalesce(g.display_name, p.display_name, p.push_name) AS name
          FROM contacts p LEFT JOIN grants g ON g.account_id = p.account_id AND g.contact_id = p.id
          WHERE p.account_id = w.account_id AND w.filter->'contacts' ? p.id::text
          UNION ALL
          SELECT c.id, 'group', coalesce(g.display_name, c.subject)
          FROM chats c LEFT JOIN grants g ON g.account_id = c.account_id AND g.chat_id = c.id
          WHERE c.account_id = w.account_id AND w.filter->'chats' ? c.id::text) one) n ON true
    WHERE w.account_id = ${account} AND ${which} ORDER BY w.name`.execute(db);
  return rows;
}

/** Webhooks that are enabled. */
export async function listEnabledWebhooks(
  db: Db,
  account: AccountId,
): Promise<readonly WebhookRow[]> {
  const { rows } = await sql<WebhookRow>`SELECT ${WEBHOOK_COLUMNS} FROM webhooks w
    WHERE w.account_id = ${account} AND w.enabled`.execute(db);
  return rows;
}

interface NewWebhookRow
  extends Pick<
    WebhookRow,
    'id' | 'token_id' | 'name' | 'url' | 'events' | 'filter' | 'include_text'
  > {
  readonly secret: Uint8Array;
}

export async function insertWebhook(
  tx: Transaction,
  account: AccountId,
  made: NewWebhookRow,
): Promise<void> {
  await sql`INSERT INTO webhooks (account_id, id, token_id, name, url, secret, events, filter, include_text)
    VALUES (${account}, ${made.id}, ${made.token_id}, ${made.name}, ${made.url}, ${made.secret}, ${made.events}::text[],
      ${JSON.stringify(made.filter)}::jsonb, ${made.include_text})`.execute(tx);
}

export async function updateWebhook(
  tx: Transaction,
  account: AccountId,
  row: Pick<WebhookRow, 'id' | 'name' | 'url' | 'events' | 'filter' | 'include_text' | 'enabled'>,
): Promise<void> {
  // After it was enabled again or its URL changed, it counts as not failing.
  await sql`UPDATE webhooks SET name = ${row.name}, url = ${row.url}, events = ${row.events}::text[],
      filter = ${JSON.stringify(row.filter)}::jsonb, include_text = ${row.include_text}, enabled = ${row.enabled},
      note = CASE WHEN NOT ${row.enabled} THEN note END,
      failing_since = CASE WHEN enabled = ${row.enabled} AND url = ${row.url} THEN failing_since END
    WHERE account_id = ${account} AND id = ${row.id}`.execute(tx);
}

export async function rotateWebhook(
  tx: Transaction,
  account: AccountId,
  { id, secret, now }: { id: WebhookId; secret: Uint8Array; now: Date },
): Promise<void> {
  await sql`UPDATE webhooks SET previous_secret = secret, secret = ${secret}, rotated_at = ${now}
    WHERE account_id = ${account} AND id = ${id}`.execute(tx);
}

export async function deleteWebhook(
  tx: Transaction,
  account: AccountId,
  id: WebhookId,
): Promise<void> {
  await sql`DELETE FROM webhooks WHERE account_id = ${account} AND id = ${id}`.execute(tx);
}

/** The webhooks of a client end with its token. */
export async function deleteWebhooksOf(
  tx: Transaction,
  account: AccountId,
  token: TokenId,
): Promise<void> {
  await sql`DELETE FROM webhooks WHERE account_id = ${account} AND token_id = ${token}`.execute(tx);
}

interface SealedSecrets {
  readonly secret: Uint8Array;
  readonly previous_secret: Uint8Array | null;
}

export async function readSealedSecrets(
  db: Db,
  account: AccountId,
  id: WebhookId,
): Promise<SealedSecrets | null> {
  const { rows } = await sql<SealedSecrets>`SELECT secret, previous_secret FROM webhooks
    WHERE account_id = ${account} AND id = ${id}`.execute(db);
  return rows[0] ?? null;
}

/** Records a successful delivery. Returns whether the webhook was failing before. */
export async function noteWebhookDelivered(
  tx: Transaction,
  account: AccountId,
  id: WebhookId,
  now: Date,
): Promise<boolean> {
  const { rows } = await sql<{ failed: boolean }>`
    UPDATE webhooks w SET last_delivered_at = ${now}, failing_since = NULL
    FROM (SELECT id, failing_since FROM webhooks WHERE account_id = ${account} AND id = ${id} FOR UPDATE) before
    WHERE w.account_id = ${account} AND w.id = before.id
    RETURNING before.failing_since IS NOT NULL AS failed`.execute(tx);
  return rows[0]?.failed === true;
}

/** Records a failed attempt. Returns since when the webhook has been failing. */
export async function noteWebhookFailed(
  tx: Transaction,
  account: AccountId,
  id: WebhookId,
  now: Date,
): Promise<Date> {
  const { rows } = await sql<{ since: Date }>`
    UPDATE webhooks SET failing_since = coalesce(failing_since, ${now})
    WHERE account_id = ${account} AND id = ${id} RETURNING failing_since AS since`.execute(tx);
  return rows[0]?.since ?? now;
}

export async function switchOffWebhook(
  tx: Transaction,
  account: AccountId,
  id: WebhookId,
  note: WebhookNote,
): Promise<void> {
  await sql`UPDATE webhooks SET enabled = false, note = ${note}
    WHERE account_id = ${account} AND id = ${id}`.execute(tx);
}

/** Two contacts turned out to be the same person: filters that name one now name the other. */
export async function followContactMerge(
  tx: Transaction,
  account: AccountId,
  { from, into }: { from: ContactId; into: ContactId },
): Promise<void> {
  await sql`UPDATE webhooks SET filter = jsonb_set(filter, '{contacts}',
      (filter->'contacts') - ${from}::text || to_jsonb(${into}::text))
    WHERE account_id = ${account} AND filter->'contacts' ? ${from}::text`.execute(tx);
}

// Describes problems with webhooks in one sentence for `relay status` and `relay doctor`: those that Relay switched
// off, those that fail, and dead deliveries.

/** A short outage does not matter, because deliveries are retried. */
const TROUBLE_AFTER = sql`interval '1 hour'`;

interface TroubleRow {
  name: string;
  off: boolean;
  failing: boolean;
  dead: number;
}

/** Null when there is no problem. */
export async function describeWebhookTrouble(db: Db, account: AccountId): Promise<string | null> {
  const { rows } = await sql<TroubleRow>`
    SELECT w.name, w.note IS NOT NULL AS off, coalesce(w.enabled AND w.failing_since < now() - ${TROUBLE_AFTER}, false) AS failing,
      (SELECT count(*) FROM webhook_deliveries d WHERE d.account_id = w.account_id AND d.webhook_id = w.id
        AND d.state = 'dead' AND d.type <> 'ping') AS dead
    FROM webhooks w WHERE w.account_id = ${account} ORDER BY w.name`.execute(db);
  const off = rows.filter((row) => row.off).map(({ name }) => name);
  const failing = rows.filter((row) => row.failing).map(({ name }) => name);
  const dead = rows.reduce((sum, row) => sum + row.dead, 0);
  const parts = [
    ...(off.length === 0 ? [] : [`${off.join(', ')} turned off by Relay`]),
    ...(failing.length === 0 ? [] : [`${failing.join(', ')} failing`]),
    ...(dead === 0 ? [] : [dead === 1 ? '1 failed delivery' : `${dead} failed deliveries`]),
  ];
  if (parts.length === 0) return null;
  return `${parts.join('; ')}. See \`relay webhook list\`.`;
}
